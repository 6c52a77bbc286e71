import DefaultsDatabase

/// Whose habits the tool's output follows. What is stored, and the exit codes, do not depend on it.
enum OutputStyle: String, CaseIterable {
  /// OPENSTEP's: a default is a line of domain, key and value.
  case openstep
  /// Those of macOS's tool: a value alone, and a domain as a text in braces.
  case macos

  /// The environment variable that names the style.
  static let environmentVariable = "DEFAULTS_STYLE"

  /// The style that the environment names; OPENSTEP's without the variable.
  ///
  /// - Throws: a usage error for a name that no style has.
  init(environment: EnvironmentLookup) throws {
    guard let name = try environment(OutputStyle.environmentVariable), !name.isEmpty else {
      self = .openstep
      return
    }
    guard let style = OutputStyle(rawValue: name) else {
      throw CommandError(
        .usage, "\(OutputStyle.environmentVariable) is “\(name)”; it may be openstep or macos")
    }
    self = style
  }
}
