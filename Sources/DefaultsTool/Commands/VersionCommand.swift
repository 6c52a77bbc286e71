import OpenStepPropertyList

/// `-version`: prints the version of the package; an option in place of a verb.
enum VersionCommand: Subcommand {
  static let name = "-version"
  static let forms: [CommandForm] = []
  static let discussion = ""

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard arguments.isEmpty else {
      throw CommandError(.usage, "“-version” takes no arguments; see “defaults help”")
    }
    try context.output.print("OpenStepDefaults \(PackageVersion.text)")
    return .done
  }
}
