import TestSupport
import Testing

/// What the compiler says of types that cannot be stored.
struct RefusalTests {
  /// What the compiler says of a program.
  private func diagnostics(_ program: String) throws -> String {
    try TypeCheck.diagnostics(of: "import TypedDefaults\n" + program)
  }

  @Test("a type that cannot be stored is refused by its name", .enabled(if: TypeCheck.modules != nil))
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
