import OpenStepPropertyList

/// `read-type`: prints the type of a stored value.
enum ReadTypeCommand: Subcommand {
  static let name = "read-type"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "domain key", "print the type of one default: Type is integer",
      example: """
        $ defaults write App Size -int 5
        $ defaults read-type App Size
        Type is integer
        """)
  ]
  static let discussion = """
    The types are string, data, integer, float, boolean, date, array and dictionary. A value that
    was written without a type is a string: 5 is one, and 5 /*integer*/ is an integer.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    if let option = try words.option() { throw words.unknown(option) }
    guard let operand = try words.domain(), let word = words.word() else {
      throw usageError("“read-type” takes a domain and a key")
    }
    try words.end("a domain and a key")
    let key = try KeyArgument(word, of: self)
    let subject = try operand.subject(in: context)
    let root = try subject.existing().value
    let value = try subject.value(of: key, in: root)
    try context.output.print("Type is \(value.typeName)")
    if let top = key.topKey { try subject.tellOfManagedKeys([top], in: root) }
    return .done
  }
}

extension PropertyList {
  /// The name of the value's type, as macOS's tool has it.
  fileprivate var typeName: String {
    switch self {
    case .string: "string"
    case .data: "data"
    case .array: "array"
    case .dictionary: "dictionary"
    case .integer: "integer"
    case .real, .float: "float"
    case .boolean: "boolean"
    case .date: "date"
    }
  }
}
