import Foundation
import Testing

/// What the compiler says of types that cannot be stored.
struct RefusalTests {
  /// Where the modules of this build lie.
  private static let modules: String? = {
    let places = Bundle.allBundles.map(\.bundlePath) + [CommandLine.arguments[0]]
    return places.map { ($0 as NSString).deletingLastPathComponent + "/Modules" }
      .first { FileManager.default.fileExists(atPath: $0 + "/TypedDefaults.swiftmodule") }
  }()

  /// What the compiler says of a program.
  private func diagnostics(_ program: String) throws -> String {
    let file = NSTemporaryDirectory() + "/refusal-\(UUID().uuidString).swift"
    try ("import TypedDefaults\n" + program).write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let modules = Self.modules ?? ""
    // Beneath the Swift modules lies one of C, which the package manager describes in a place of its own.
    let systemCalls = (modules as NSString).deletingLastPathComponent + "/CFileRights.build/module.modulemap"
    compiler.arguments = [
      "swiftc", "-typecheck", "-swift-version", "6", "-I", modules, "-Xcc",
      "-fmodule-map-file=\(systemCalls)",
      file,
    ]
    let output = Pipe()
    compiler.standardError = output
    try compiler.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    compiler.waitUntilExit()
    return text
  }

  @Test("a type that cannot be stored is refused by its name", .enabled(if: modules != nil))
  func unsupportedType() throws {
    let program = """
      struct Plain {}
      extension Defaults.Keys {
        static let good = Key<[String: Set<Int>]>("good", default: [:])
      """
    #expect(try diagnostics(program + "}") == "")
    let refused = try diagnostics(
      program + "\n  static let plain = Key<Plain>(\"plain\", default: Plain()) }")
    #expect(refused.contains("error: type 'Plain' does not conform to protocol 'Defaults.Serializable'"))
    let nested = try diagnostics(program + "\n  static let plain = Key<[Plain]>(\"plain\", default: []) }")
    #expect(nested.contains("error: type 'Plain' does not conform to protocol 'Defaults.Serializable'"))
    let property = try diagnostics(
      program + "}\nstruct Storage { @UserDefault(key: \"plain\") var plain: Plain? }")
    #expect(property.contains("requires that 'Plain' conform to 'PropertyListValue'"))
  }
}
