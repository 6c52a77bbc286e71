import DefaultsDatabase
import OpenStepPropertyList

/// `readkey`: prints one key's default in every domain that has it.
enum ReadKeyCommand: Subcommand {
  static let name = "readkey"
  static let forms = [CommandForm("key", "print that key of every domain")]
  static let discussion = "The lines are those of “defaults read”."

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard arguments.count == 1 else { throw usageError("“readkey” takes one key") }
    let key = PropertyListKey(arguments[0])
    let managed = try context.managedKeys()
    var isFound = false
    let code = try context.openDatabase().forEachDomain(reportingTo: context.output) { domain, values in
      guard let value = values[key] else { return }
      isFound = true
      try context.output.print(context.output.line(of: domain, key: key, value: value))
      try managed.tell(of: [key], in: domain)
    }
    guard isFound || code != .done else {
      throw CommandError(.absent, "there is no default “\(key)” in any domain")
    }
    return code
  }
}
