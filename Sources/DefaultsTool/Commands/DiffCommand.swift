import OpenStepPropertyList

/// `diff`: compares two domains, files or databases.
enum DiffCommand: Subcommand {
  static let name = "diff"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-to FORMAT] A B", "compare two domains, files, or directories of domains",
      example: """
        $ defaults write Old Size 4
        $ defaults write App Size 5
        $ defaults diff Old App
        --- Old
        +++ App
        -Size 4
        +Size 5
        $ defaults diff -to commands Old App
        defaults write Old Size 5
        """),
    CommandForm(
      "[-to FORMAT] DIR", "compare a directory or a snapshot with the database",
      example: """
        $ defaults write App Size 4
        $ defaults snapshot before
        $ defaults write App Size 5
        $ defaults diff @before
        --- @before
        +++ …
        -App Size 4
        +App Size 5
        """),
  ]
  static let discussion = """
    A and B are domains, paths of files, or - for standard input; or both are directories. @name is a
    snapshot, and @name/App a domain of it; alone, it is compared with what is there now. Behind “--” or
    “-domain” a domain's name is taken as it stands. Nothing is printed if they are equal, but for an empty
    array of JSON. Otherwise the exit code is 6, and each place that differs is a line:

      --- App
      +++ ./App.plist
      -Count '5 /*integer*/'
      +Count '6 /*integer*/'
      +.Window.x 12
      +.Recent[+] c.txt

    Dictionaries are compared key by key, arrays as wholes unless they only got new elements at their
    end. Types count: 5 and 5 /*integer*/ differ; order, comments and formats do not. Of directories,
    each line begins with the domain; a domain that cannot be read on one side is reported and left out,
    and the exit code is that of the error. FORMAT is one of
      lines     these lines, the default
      commands  the commands of this tool that make A into B, for any shell. A is no snapshot and no standard
                input, and with -gnustep no other directory than GNUstep's own
      json      an array of objects with domain, path, and the tagged values “from” and “to”
    """

  /// The formats that `-to` accepts.
  private enum Format: String, CaseIterable {
    case lines, commands, json
  }

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var format = Format.lines
    while let option = try words.option() {
      guard option == "-to" || option == "-format" else { throw words.unknown(option) }
      let name = try words.argument(of: option, "a format: lines, commands, json")
      guard let asked = Format(rawValue: name) else {
        throw usageError("there is no format “\(name)”; use one of: lines, commands, json")
      }
      format = asked
    }
    let operands = try [DiffOperand(&words), DiffOperand(&words)].compactMap { $0 }
    try words.end("two domains, files or directories")
    guard operands != [.standardInput, .standardInput] else {
      throw usageError("“-” is standard input, which can be read only once")
    }
    guard operands.count == 2 || operands.count == 1 && (operands[0].isDirectory || operands[0].isSnapshot)
    else {
      throw usageError("“diff” takes two domains or files, or a directory of domains")
    }
    guard format != .commands || operands[0] != .standardInput && !operands[0].isSnapshot else {
      throw usageError(
        "“-to commands” gives the commands that change the first of the two, and none changes “\(operands[0])”"
      )
    }
    var old = try DiffSide.reading(operands[0], in: context)
    var new =
      operands.count == 2
      ? try DiffSide.reading(operands[1], in: context)
      : try DiffSide.present(beside: operands[0], in: context)
    guard old.isDatabase == new.isDatabase else {
      throw usageError("“\(old.name)” and “\(new.name)” are a directory and a single property list")
    }
    var isEqual = true
    try context.output.whileRead { check in
      try print(&old, &new, as: format, context, &isEqual, check)
    }
    return max(old.code, new.code, isEqual ? .done : .differs)
  }

  /// Prints the differences of two sides, each line as it is made.
  ///
  /// - Parameters:
  ///   - isEqual: Is set to false where there is a difference.
  ///   - check: Called behind each line.
  private static func print(
    _ old: inout DiffSide, _ new: inout DiffSide, as format: Format, _ context: CommandContext,
    _ isEqual: inout Bool, _ check: () throws -> Void
  ) throws {
    let output = context.output
    var isFirst = true
    for name in old.names.union(new.names).sorted() {
      let (before, after) = (try old.value(of: name), try new.value(of: name))
      guard !old.unreadable.contains(name), !new.unreadable.contains(name),
        !DifferenceLines.areEqual(before, after)
      else { continue }
      isEqual = false
      let domain = old.isDatabase ? name.text : nil
      switch format {
      case .lines:
        if isFirst {
          try output.print("--- \(old.name.onOneLine)", in: .strong)
          try output.print("+++ \(new.name.onOneLine)", in: .strong)
        }
        try DifferenceLines.forEach(from: before, to: after, domain: domain, escaping: output.escapes) {
          line in
          try output.print(line, in: line.utf8.first == UInt8(ascii: "-") ? .removed : .added)
          try check()
        }
      case .commands:
        let commands = try old.commands(of: name.text, in: context)
        try DifferenceLines.forEachCommand(from: before, to: after, commands) { line in
          try output.print(line)
          try check()
        }
      case .json:
        try DifferenceLines.forEachObject(from: before, to: after, domain: domain) { object in
          try output.write(Array("\(isFirst ? "[" : ",")\n  \(object)".utf8))
          isFirst = false
          try check()
        }
      }
      isFirst = false
    }
    if format == .json { try output.print(isFirst ? "[]" : "\n]") }
  }
}
