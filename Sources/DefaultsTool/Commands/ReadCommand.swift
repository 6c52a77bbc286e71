import DefaultsDatabase
import OpenStepPropertyList

/// `read`: prints defaults in the form that batch `write` reads.
enum ReadCommand: Subcommand {
  static let name = "read"
  static let takesDomain = true
  static let forms = [
    CommandForm("", "print all defaults of all domains"),
    CommandForm("domain", "print all defaults of a domain"),
    CommandForm("domain key", "print one default"),
  ]
  static let discussion = """
    Each default is one line: domain, key, value, as in

      App Count 5
      App Name 'two words'
      App Sizes '(1, 2)'

    A word that is empty or holds white space or a quote is in single quotes, with '' for a
    single quote. A value is a property list; a string that would be read as another value, and a
    name or string with a line end in it, is a quoted string with escapes: App Note '"a\\nb"'. A
    comment after a value gives its type: App Count '5 /*integer*/'.
    “defaults write” without arguments reads these lines.
    The stored values are printed. If the administrator sets a key for all users, which takes
    precedence, a line of standard error names the file.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard arguments.count <= 2 else { throw usageError("“read” takes a domain and a key at most") }
    let managed = try context.managedKeys()
    guard let first = arguments.first else {
      return try context.openDatabase().forEachDomain(reportingTo: context.output) { domain, values in
        try context.output.print(values, of: domain)
        try managed.tell(of: values.keys, in: domain)
      }
    }
    let domain = try DomainName(operand: first)
    let values = try context.openDatabase().existingValues(of: domain)
    if arguments.count == 1 {
      try context.output.print(values, of: domain)
      try managed.tell(of: values.keys, in: domain)
    } else {
      let key = PropertyListKey(arguments[1])
      guard let value = values[key] else {
        try managed.tell(of: [key], in: domain)
        throw CommandError.absence(of: key, in: domain)
      }
      try context.output.print(context.output.line(of: domain, key: key, value: value))
      try managed.tell(of: [key], in: domain)
    }
    return .done
  }
}
