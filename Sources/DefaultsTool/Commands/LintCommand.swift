import OpenStepPropertyList

/// `lint`: checks whether files are property lists.
enum LintCommand: Subcommand {
  static let name = "lint"
  static let forms = [
    CommandForm(
      "FILE…", "check files; - is standard input",
      example: """
        $ echo '{ a = 1; }' > App.plist
        $ defaults lint App.plist
        App.plist: OK
        """)
  ]
  static let discussion = """
    Text of any dialect, XML and binary property lists are recognised. For a valid file,
    “FILE: OK” is printed; for any other, the place of the error, the source line and a caret on
    standard error, and the exit code is 4. A file of only white space and comments is not valid.
    A warning on standard error reports a type note that does not fit its value, an entry whose key
    stands in the same dictionary again, so that its value does not count, or half a surrogate pair,
    which is read as U+FFFD, and in a file of Window Maker's whatever that program refuses, such as a
    comment; the file is still valid. For each file, at most twenty are printed.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var paths = arguments
    if let end = arguments.firstIndex(of: "--") {
      paths.remove(at: end)
    }
    let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") && $0 != "-" }
    if let option = options.first {
      throw usageError("“lint” has no option “\(option)”; a file of that name is “./\(option)”")
    }
    guard !paths.isEmpty else { throw usageError("“lint” takes the names of files") }
    try checkStandardInput(of: paths)
    var code = ExitCode.done
    for path in paths {
      do {
        let file = try SourceFile(path, in: context)
        for warning in try file.warnings() {
          // In a binary file the position is an object and a byte.
          let text =
            warning.line > 0
            ? ":\(warning.line):\(warning.column): warning: \(warning.message)" : ": warning: \(warning)"
          try context.output.printError("defaults: \(file.name.onOneLine)\(text)")
        }
        try context.output.print("\(SourceFile.displayName(path).onOneLine): OK", in: .good)
      } catch let error as CommandError {
        try context.output.report(error)
        code = max(code, error.code)
      }
    }
    return code
  }
}
