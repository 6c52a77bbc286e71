import DefaultsDatabase
import DefaultsImport
import OpenStepPropertyList

/// `convert`: prints files in another format, or writes one.
enum ConvertCommand: Subcommand {
  static let name = "convert"
  static let forms = [
    CommandForm(
      "-to FORMAT [-ascii] [-encoding SET] FILE…", "print files in another format",
      example: """
        $ echo '{ a = (x, y); }' > App.plist
        $ defaults convert -to flat App.plist
        .a[0] x
        .a[1] y
        """),
    CommandForm(
      "-to FORMAT -o PATH … FILE", "write it into a file; PATH may be FILE itself",
      example: """
        $ echo '{ a = 1; }' > App.plist
        $ defaults convert -to binary -o App.plist App.plist
        $ head -c 6 App.plist
        bplist
        """),
    CommandForm(
      "-from json -to FORMAT … FILE…", "read the files as JSON, whatever they contain",
      example: """
        $ echo '[1, true]' | defaults convert -from json -to flat -
        [0] '1 /*integer*/'
        [1] 'YES /*boolean*/'
        """),
    CommandForm(
      "-from tagged -to FORMAT … FILE…", "read back what “-to tagged” has printed",
      example: """
        $ echo '{"o":{"a":{"int":"5"}}}' | defaults convert -from tagged -to flat -
        .a '5 /*integer*/'
        """),
    CommandForm(
      "-from windowmaker -to FORMAT … FILE…", "read the files as Window Maker's text",
      example: #"""
        $ echo '{ Name = "caf\303\251"; }' > WMState
        $ defaults convert -from windowmaker -to flat WMState
        .Name café
        """#),
  ]
  static let discussion = """
    FORMAT is one of
      openstep  text in UTF-8 that every reader accepts, with notes after typed values
      gnustep   GNUstep's text: pure ASCII, typed values as <*I5>
      windowmaker
                Window Maker's text, with UTF-8 in octal escapes; it has strings and data only
      xml       Apple's XML; also xml1, as plutil has it
      binary    Apple's binary format, of one file; also binary1
      json      plain JSON; it has no data, no dates, no infinities
      tagged    JSON in which every value names its type, so that it holds them all; to be read
                back it takes -from tagged, since it is plain JSON as well, of other values
      flat      a path and a value a line, down to the last one: .Window.frames[2].x 10
    In JSON and “tagged”, numbers of single and of double precision are alike.
    A file is recognised by its contents: text, XML, binary, or JSON that begins with [ or
    with { and a key in double quotes. A single string, number or word is read as text, unless
    -from json is given. JSON with null is refused, since property lists have no null.
    An octal escape in a text is a character of NeXT's set: \\331 is “ä”. In Window Maker's text it
    is a byte of UTF-8: \\303\\244 is “ä”. Window Maker's files are recognised by their names, and
    those without comments and types also by their keys or the form of a menu; where an escape is no
    UTF-8, only by keys that no other program has. In the database's directory the name alone counts,
    except with -textconv. -from windowmaker reads any text as theirs.
    -textconv is for git: a file that cannot be read is printed as it is, with exit code 0, and so is one
    whose text takes more than 16 times its size and a mebibyte, since git keeps all of it. Other texts
    are printed piece by piece; those of openstep -ascii, gnustep, windowmaker and xml, and those that -o
    writes, have 256 MiB at most, or 32 times the file's size up to 1 GiB; flat with -o has 256 MiB.
    -ascii with “openstep” writes pure ASCII with escapes, for a real OPENSTEP machine.
    -encoding names the character set of text that is not Unicode: nextstep, which is the
    default, or latin1.
    Half a surrogate pair, which macOS's programs can write, and a byte that NeXT's set does not have
    become U+FFFD, of which standard error tells; a file is not converted in its own place then. A value
    that the format cannot hold exactly is refused, exit code 3; so is a binary file where the output is
    a terminal. A file that exists at the PATH of -o is replaced as a whole, with its permissions, once
    FILE was read; “-o -” prints.
    """

  /// Whether a command line is one by which git has a file converted, of which the name follows.
  static func isForGit(_ line: [String]) -> Bool {
    line.first == name && line.contains("-textconv") && line.last == "--"
  }

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    let request = try Request(arguments)
    if request.format == .binary, request.outputPath == nil {
      try context.output.refuseTerminal("“-o FILE” writes it into a file")
    }
    var code = ExitCode.done
    for path in request.paths {
      do {
        let file = try SourceFile(path, in: context, isForGit: request.isForGit)
        do {
          let value = try file.value(eightBitEncoding: request.encoding, as: request.reading)
          if request.reading == .recognised, !request.isForGit {
            try file.tellIfTagged(value, advising: "-from tagged", context.output)
          }
          let options = file.options(
            of: value, eightBitEncoding: request.encoding, as: request.reading)
          if let target = request.outputPath {
            let bytes = try request.bytes(of: value, in: file, escaping: \.breaksLines)
            try write(
              bytes, of: value, to: target, convertedFrom: file, options, at: path, on: context.fileSystem)
          } else {
            try request.print(value, of: file, to: context.output)
          }
          if !request.isForGit {
            // What is written anew has U+FFFD.
            try context.output.tellOfLostCharacter(
              in: file.bytes, called: file.name, writing: value, as: [], options: options)
          }
        } catch let error as CommandError {
          guard request.isForGit else { throw error }
          try context.output.write(file.bytes)
        }
      } catch let error where !(error is StreamError) {
        let error = CommandError(error)
        try context.output.report(error)
        code = max(code, error.code)
      }
    }
    return code
  }

  /// Writes what a file was converted to.
  ///
  /// - Throws: an error of the code `refused` where the file is written itself, and would lose half a surrogate pair,
  ///   or has other bytes by now.
  private static func write(
    _ bytes: [UInt8], of value: PropertyList, to target: String, convertedFrom file: SourceFile,
    _ options: PropertyList.ParsingOptions, at path: String, on fileSystem: any FileSystem
  ) throws {
    let place = fileSystem.reachedStatus(at: target)
    // Also the file to which the shell has opened the standard input.
    let source =
      path == "-"
      ? try? fileSystem.status(of: CurrentProcess.standardInput)
      : fileSystem.reachedStatus(at: path)
    // A file that was removed meanwhile is at neither path.
    let isInPlace = haveEqualBytes(target, path) || place.map { source?.isSameFile(as: $0) == true } ?? false
    if isInPlace,
      let lost = PropertyList.lostCharacter(from: file.bytes, to: bytes, writing: value, options: options)
    {
      throw CommandError(.refused, "\(lost.text(inFile: file.name)); the file is unchanged")
    }
    try PropertyListFile.change(target, fileSystem: fileSystem) { present in
      guard !isInPlace || present == file.bytes else {
        throw CommandError(
          .refused, "\(target): was changed meanwhile; nothing was written, and it can be tried again")
      }
      return .bytes(bytes)
    }
  }

  /// The parsed arguments.
  private struct Request {
    let format: OutputFormat
    let isASCII: Bool
    /// Whether a file that cannot be converted is printed as it is.
    let isForGit: Bool
    let encoding: PropertyList.ParsingOptions.EightBitEncoding
    let reading: SourceFile.Reading
    let paths: [String]
    /// The file that is written; nil for standard output.
    let outputPath: String?

    init(_ arguments: [String]) throws(CommandError) {
      var format: OutputFormat?
      var isASCII = false
      var isForGit = false
      var encoding = PropertyList.ParsingOptions.EightBitEncoding.nextStep
      var reading = SourceFile.Reading.recognised
      var paths: [String] = []
      var outputPath: String?
      var rest = arguments[...]
      while let argument = rest.popFirst() {
        switch argument {
        case "-to", "-format":
          format = try OutputFormat(
            named: rest.popFirst(), of: ConvertCommand.self, among: OutputFormat.converted)
        case "-from":
          switch rest.popFirst() {
          case StoreKind.json.rawValue: reading = .json
          case StoreKind.tagged.rawValue: reading = .tagged
          case StoreKind.windowMaker.rawValue: reading = .windowMaker
          default:
            throw usageError(
              "“-from” takes json, tagged or windowmaker; other formats are recognised by themselves")
          }
        case "-o":
          guard let path = rest.popFirst() else { throw usageError("“-o” takes the path of a file") }
          outputPath = path
        case "-ascii":
          isASCII = true
        case "-textconv":
          isForGit = true
        case "-encoding":
          encoding = try EightBitSet.encoding(named: rest.popFirst(), for: ConvertCommand.self)
        case "--":
          paths += rest
          rest = []
        case _ where argument.hasPrefix("-") && argument != "-":
          throw unknownOption(argument, "a file of that name is “./\(argument)”")
        default:
          paths.append(argument)
        }
      }
      guard let format else { throw usageError("“convert” needs “-to” and a format") }
      guard !paths.isEmpty else { throw usageError("“convert” takes the names of files") }
      try checkStandardInput(of: paths)
      guard paths.count == 1 || outputPath == nil && format != .binary else {
        throw usageError("“\(outputPath == nil ? "-to binary" : "-o")” goes with one file")
      }
      guard !isASCII || format == .openstep else { throw usageError("“-ascii” goes with “-to openstep”") }
      guard !isForGit || outputPath == nil || outputPath == "-" else {
        throw usageError("“-textconv” prints, and does not go with “-o”")
      }
      self.format = format
      self.isASCII = isASCII
      self.isForGit = isForGit
      self.encoding = encoding
      self.reading = reading
      self.paths = paths
      self.outputPath = outputPath == "-" ? nil : outputPath
    }

    /// Prints the value of a file in the requested format.
    func print(_ value: PropertyList, of file: SourceFile, to output: CommandOutput) throws {
      // git keeps all of it in memory.
      if isForGit || isASCII || format.isWhole {
        return try output.write(bytes(of: value, in: file, escaping: output.escapes))
      }
      do {
        try format.print(value, style: .openstep, fromFileOf: file.bytes.count, to: output)
      } catch let error where !(error is StreamError) {
        throw refusal(error, of: file)
      }
    }

    /// The value of a file in the requested format.
    func bytes(
      of value: PropertyList, in file: SourceFile, escaping isEscaped: (Unicode.Scalar) -> Bool
    ) throws(CommandError) -> [UInt8] {
      do {
        let maximumCount = maximumCount(for: file)
        if isASCII {
          do throws(FormatError) {
            return try OpenStepFormat.bytes(of: value, style: .ascii, within: maximumCount)
          } catch {
            throw error.advisingPieces(beyond: maximumCount)
          }
        }
        return try format.bytes(
          of: value, style: .openstep, within: maximumCount, escaping: isEscaped)
      } catch {
        throw refusal(error, of: file)
      }
    }

    /// How many bytes the text of a file's value may take.
    private func maximumCount(for file: SourceFile) -> Int {
      let count = file.bytes.count
      if isForGit { return min(16 * count + (1 << 20), OutputFormat.maximumCount) }
      if format == .flat { return OutputFormat.maximumCount }
      return OutputFormat.maximumCount(forFileOf: count)
    }

    private func refusal(_ error: any Error, of file: SourceFile) -> CommandError {
      if format == .json, error is PropertyListError {
        return CommandError(.refused, "\(file.name): \(error); “-to tagged” holds every value")
      }
      return CommandError(.refused, "\(file.name): \(CommandError(error).message)")
    }
  }
}
