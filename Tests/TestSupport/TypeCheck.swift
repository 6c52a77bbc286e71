import Foundation

/// What the compiler says of a program that imports modules of this package.
public enum TypeCheck {
  /// The folder of the Swift modules of this build; nil if it has no such folder.
  public static let modules: String? = {
    let folder = (BuiltProduct.path(of: "Modules") as NSString).standardizingPath
    return FileManager.default.fileExists(atPath: folder + "/DefaultsDatabase.swiftmodule") ? folder : nil
  }()

  /// The compiler's messages; empty for a program without an error or a warning.
  ///
  /// - Parameters:
  ///   - program: The text of the program's only file.
  ///   - options: Options of the compiler, among them the language mode.
  public static func diagnostics(
    of program: String, options: [String] = ["-swift-version", "6"]
  ) throws -> String {
    let file = NSTemporaryDirectory() + "/program-\(UUID().uuidString).swift"
    try program.write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let modules = Self.modules ?? ""
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = ["swiftc", "-typecheck", "-parse-as-library"] + options + ["-I", modules]
    // Beneath the Swift modules lie some of C, which the package manager describes in places of their own.
    let products = (modules as NSString).deletingLastPathComponent
    for folder in try FileManager.default.contentsOfDirectory(atPath: products)
    where folder.hasSuffix(".build") {
      let map = "\(products)/\(folder)/module.modulemap"
      if FileManager.default.fileExists(atPath: map) {
        compiler.arguments? += ["-Xcc", "-fmodule-map-file=\(map)"]
      }
    }
    compiler.arguments?.append(file)
    let output = Pipe()
    compiler.standardError = output
    try compiler.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    compiler.waitUntilExit()
    return text
  }
}
