import Foundation

/// A program of this package, as the tests' own build made it.
public enum BuiltProduct {
  /// The path of a program's file.
  public static func path(of name: String) -> String {
    // They lie beside the tests' own products. On macOS a helper runs the tests, and only the bundle tells where they
    // lie.
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let products = (bundle?.bundleURL ?? Bundle.main.executableURL)?.deletingLastPathComponent()
    return products?.appendingPathComponent(name).path ?? "\(name) is not built"
  }
}
