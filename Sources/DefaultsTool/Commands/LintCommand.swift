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
    A warning on standard error reports a type note that does not fit its value or is spelt otherwise,
    as /*Integer*/ or /*int*/ (any other comment is a comment), an entry whose key stands in the same
    dictionary again, so that its value does not count, or what stands for no character and is read as
    U+FFFD: half a surrogate pair, or a byte that NeXT's set does not have; the file is still valid. In a
    file of Window Maker's, what that program refuses or reads differently, such as a comment, is an
    error, as it is for “doctor”. For each file, at most twenty lines are printed.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var paths = arguments
    if let end = arguments.firstIndex(of: "--") {
      paths.remove(at: end)
    }
    let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") && $0 != "-" }
    if let option = options.first {
      throw unknownOption(option, "a file of that name is “./\(option)”")
    }
    guard !paths.isEmpty else { throw usageError("“lint” takes the names of files") }
    try checkStandardInput(of: paths)
    var code = ExitCode.done
    for path in paths {
      do {
        let file = try SourceFile(path, in: context)
        let warnings = try file.warnings()
        for warning in warnings {
          let weight = warning.isError ? "" : "warning: "
          // In a binary file the position is an object and a byte.
          let text =
            warning.line > 0
            ? ":\(warning.line):\(warning.column): \(weight)\(warning.message)" : ": \(weight)\(warning)"
          try context.output.report(CommandError(.done, "\(file.name)\(text)"))
        }
        guard !warnings.contains(where: \.isError) else {
          code = max(code, .damaged)
          continue
        }
        try context.output.print("\(SourceFile.displayName(path).onOneLine): OK", in: .good)
      } catch let error where !(error is StreamError) {
        let error = CommandError(error)
        try context.output.report(error)
        code = max(code, error.code)
      }
    }
    return code
  }
}

extension PropertyListWarning {
  /// Whether it is an error: Window Maker refuses the whole file for most of what it cannot read.
  var isError: Bool { kind == .windowMaker }
}
