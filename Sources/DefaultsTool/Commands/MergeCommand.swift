import DefaultsDatabase
import OpenStepPropertyList

/// `merge`: brings the changes of two property lists together, as git's merge driver.
enum MergeCommand: Subcommand {
  static let name = "merge"
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "[-p] [-L size] [-P path] BASE OURS THEIRS", "bring two changes of a file together",
      example: """
        $ echo '{ a = 1; b = 1; }' > base
        $ echo '{ a = 2; b = 1; }' > ours
        $ echo '{ a = 1; b = 2; }' > theirs
        $ defaults merge -p base ours theirs
        { a = 2; b = 2; }
        """)
  ]
  static let discussion = """
    OURS gets what THEIRS has changed from BASE, key by key; the bytes of a text that need not change
    stay. -p prints the result instead. Where both sides have changed one value in different ways, both
    are in the result between marks as git has them, -L signs long, 1000 at most; the exit code is 6,
    and a line of standard error tells of each. Files that are no property lists are merged line by
    line, by “git merge-file” where there is git; without it, every line that differs is between marks.
    So are files of which a side has changed half a surrogate pair, and eight-bit texts of which THEIRS
    has changed more than ASCII. No side is ever dropped. With marks, an OURS in UTF-16 or UTF-32
    becomes UTF-8, since marks are lines of ASCII, and a binary one becomes OPENSTEP's text; a line of
    standard error says so. An empty BASE is none: both sides have made the file.
    Elements that one side has only added at the end of an array are added to what the other has made of it.
    Entries that only THEIRS has come with the comments above and behind them. The format is told by the
    contents. -P gives the name for messages. If BASE or THEIRS cannot be read, OURS gets marks around all of
    it, since git would take it for the result otherwise. OURS is written under the lock of its directory;
    what has become of it meanwhile is merged. If OURS cannot be read or written, the exit code is 133, and
    OURS is as it was. To have git merge by this command:

      git config merge.defaults.driver 'defaults merge -L %L -P %P %O %A %B'
      git config diff.defaults.textconv 'defaults convert -to flat -textconv --'
      echo '*.plist merge=defaults diff=defaults' >> .gitattributes
    """

  private static let maximumMarkSize = 1000
  /// The option before the name for messages.
  static let labelOption = "-P"

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var (prints, size, label) = (false, 7, "")
    while let option = try words.option() {
      switch option {
      case "-p": prints = true
      case "-L":
        guard let number = Int(try words.argument(of: option, "a number of signs")), number > 0 else {
          throw usageError("“-L” takes a number of signs")
        }
        // An error would make git take OURS for the result.
        size = min(number, maximumMarkSize)
      case labelOption: label = try words.argument(of: option, "a path")
      default: throw words.unknown(option)
      }
    }
    let paths = words.all()
    guard paths.count == 3, !paths.contains("-") else {
      throw usageError("“merge” takes three files: BASE OURS THEIRS")
    }
    let ours: [UInt8]
    do {
      ours = try bytes(of: paths[1], context)
    } catch {
      try context.output.report(CommandError(error))
      return .unwritten
    }
    /// Reads another side; one that cannot be read is reported, and is nil.
    func side(_ path: String) throws -> [UInt8]? {
      do {
        return try bytes(of: path, context)
      } catch {
        try context.output.report(CommandError(error))
        return nil
      }
    }
    let name = (label.isEmpty ? paths[1] : label).onOneLine
    var merge = ThreeFiles(
      base: try side(paths[0]), ours: ours, theirs: try side(paths[2]), name: name,
      reading: context.reading(ofFileAt: label.isEmpty ? paths[1] : label),
      marks: MergedLines(markSize: size, labels: ("ours \(name)", "theirs \(name)")),
      environment: context.environment)
    var result = merge.result()
    if !prints, result.bytes != ours {
      do {
        try PropertyListFile.change(paths[1], fileSystem: context.fileSystem) { present in
          guard let present else { throw absence(of: paths[1]) }
          if present != merge.ours {
            // Another process has changed it meanwhile, and is kept out now.
            merge.ours = present
            result = merge.result()
          }
          return result.bytes == present ? .keep : .bytes(result.bytes)
        }
      } catch {
        try context.output.report(CommandError(error))
        return .unwritten
      }
    }
    for conflict in result.conflicts {
      try context.output.report(.conflict(conflict.text(of: "\(name):", ("ours", "theirs"))))
    }
    for message in result.messages { try context.output.report(CommandError(.differs, message)) }
    if prints { try context.output.write(result.bytes) }
    return result.hasMarks ? .differs : .done
  }

  private static func bytes(of path: String, _ context: CommandContext) throws -> [UInt8] {
    if let bytes = try PropertyListFile.bytes(at: path, fileSystem: context.fileSystem) { return bytes }
    throw absence(of: path)
  }

  private static func absence(of path: String) -> CommandError {
    CommandError(.inputOutput, "\(path): there is no such file")
  }
}

/// The contents of the three files of a merge.
private struct ThreeFiles {
  /// nil if it cannot be read.
  let base: [UInt8]?
  var ours: [UInt8]
  /// nil if it cannot be read.
  let theirs: [UInt8]?
  /// The name for messages.
  let name: String
  /// What tells, besides the name, how a text is read.
  let reading: TextFile.Reading
  let marks: MergedLines
  let environment: EnvironmentLookup

  /// What comes of the three.
  struct Result {
    let bytes: [UInt8]
    let hasMarks: Bool
    /// What standard error tells of first.
    var conflicts = PropertyListMerge.Conflicts.none
    /// Lines for standard error.
    var messages: [String] = []

    /// The same with another line.
    func saying(_ message: String) -> Result {
      var result = self
      result.messages.append(message)
      return result
    }
  }

  func result() -> Result {
    guard let theirs, let base else { return inEncodingOfOurs(narrowed.markedAsWhole) }
    if ours == theirs || theirs == base { return Result(bytes: ours, hasMarks: false) }
    if ours == base { return Result(bytes: theirs, hasMarks: false) }
    func reason(_ error: any Error) -> String {
      "\(name): merged line by line: \(CommandError(error).message)"
    }
    let files: MergedFiles
    do {
      files = try MergedFiles(base, ours, theirs, at: name, reading)
    } catch {
      return inEncodingOfOurs(narrowed.mergedByLine(reason(error)))
    }
    do {
      let result = try mergedByKey(files)
      let narrow = narrowed
      guard result.hasMarks, narrow.ours != ours else { return result }
      let narrowFiles = try MergedFiles(
        narrow.base ?? [], narrow.ours, narrow.theirs ?? [], at: name, reading)
      return inEncodingOfOurs(try narrow.mergedByKey(narrowFiles))
    } catch {
      let lines = inEncodingOfOurs(narrowed.mergedByLine(reason(error)))
      // What git has merged without a conflict can be no property list, or one with other values.
      let isWhole = [ours, theirs].allSatisfy { PropertyList.reasonOfLoss(inWideText: $0) == nil }
      if lines.hasMarks || isWhole && files.isMerged(lines.bytes) { return lines }
      var marked = inEncodingOfOurs(narrowed.markedByLine(reason(error)))
      marked.conflicts = files.merge.conflicts
      return marked
    }
  }

  /// A result of the same files in UTF-8: in the encoding of OURS if it has no marks, which are lines of ASCII;
  /// otherwise it says that it is UTF-8 now.
  private func inEncodingOfOurs(_ result: Result) -> Result {
    var result = result
    for (side, bytes) in [("OURS", ours), ("THEIRS", theirs ?? [])] {
      if let reason = PropertyList.reasonOfLoss(inWideText: bytes) {
        result = result.saying("\(name): \(side): \(reason), and the result has U+FFFD for it")
      }
    }
    guard let text = PropertyList.utf8(ofWideText: ours) else { return result }
    // The declaration of XML, which names the encoding, was taken away.
    let declaration = text.dropLast(narrowed.ours.count)
    guard !result.hasMarks, let bytes = PropertyList.wideText(declaration + result.bytes, encodedAs: ours)
    else {
      return result.saying("\(name): is UTF-8 now, since marks and the ends of lines are ASCII")
    }
    return Result(bytes: bytes, hasMarks: false, messages: result.messages)
  }

  /// The same files, with UTF-8 in place of UTF-16 and UTF-32, in which marks are no characters, and a byte ends no
  /// line.
  private var narrowed: ThreeFiles {
    let (isWide, mark) = (PropertyList.utf8(ofWideText: ours) != nil, [0xEF, 0xBB, 0xBF] as [UInt8])
    func narrowed(_ bytes: [UInt8]) -> [UInt8] {
      guard let text = PropertyList.utf8(ofWideText: bytes) else {
        // A mark of UTF-8 would stand behind that of OURS.
        return isWide && bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
      }
      guard PropertyList.isXML(bytes), text.starts(with: "<?xml".utf8),
        let end = text.firstIndex(of: UInt8(ascii: ">"))
      else { return text }
      // XML without a declaration, which names the old encoding, is UTF-8.
      return Array(text[(end + 1)...].drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") })
    }
    return ThreeFiles(
      base: base.map(narrowed), ours: narrowed(ours), theirs: theirs.map(narrowed), name: name,
      reading: reading, marks: marks, environment: environment)
  }

  private var markedAsWhole: Result {
    let message = "\(name): marked as a whole, since not all of the three files can be read"
    return Result(bytes: marks.wholes(of: ours, and: theirs ?? []), hasMarks: true, messages: [message])
  }

  /// Merges the files line by line.
  ///
  /// - Parameter message: Why, for standard error.
  private func mergedByLine(_ message: String) -> Result {
    let theirs = theirs ?? []
    let git = GitLineMerge(
      base: base ?? [], ours: ours, theirs: theirs, marks: marks, environment: environment)
    if let (bytes, hasMarks) = git.result() {
      return Result(bytes: bytes, hasMarks: hasMarks, messages: [message])
    }
    return markedByLine(message)
  }

  /// Marks all lines that differ.
  private func markedByLine(_ message: String) -> Result {
    Result(bytes: marks.bytes(of: ours, and: theirs ?? []), hasMarks: true, messages: [message])
  }

  private func mergedByKey(_ files: MergedFiles) throws -> Result {
    let (base, ours, theirs, merge) = (files.base, files.ours, files.theirs, files.merge)
    guard let result = merge.result, let alternative = merge.alternative else {
      throw CommandError(.differs, "there is nothing in common")
    }
    let sides = [base, ours, theirs].compactMap { $0.map(MergeSide.init) }
    if let reason = MergeSide.reasonForLines(of: sides, in: merge) { throw CommandError(.refused, reason) }
    let held = try HeldValue(result, over: ours.root, in: ours.capacity(for: result))
    let messages = held.remark(rehearsing: false).map { ["\(name): \($0)"] } ?? []
    let merged = try ours.bytes(changedTo: held.value ?? result) { commented($0, result, base, ours, theirs) }
    if merge.conflicts.isEmpty { return Result(bytes: merged, hasMarks: false, messages: messages) }
    if ours.isBinary {
      // Marks need lines.
      let maximumCount = OutputFormat.maximumCount(forFileOf: ours.bytes.count)
      let bytes = marks.bytes(
        of: try result.bytes(style: .openStep, within: maximumCount),
        and: try alternative.bytes(style: .openStep, within: maximumCount))
      let file = ShellWord.text(name)
      return Result(bytes: bytes, hasMarks: true, conflicts: merge.conflicts).saying(
        "\(name): was binary and is text now, since marks need lines; without the marks, "
          + "“defaults convert -to binary -o \(file) \(file)” makes it binary again")
    }
    let other = try files.file(merged).bytes(changedTo: alternative)
    let bytes = marks.bytes(of: merged, and: other)
    return Result(bytes: bytes, hasMarks: true, conflicts: merge.conflicts, messages: messages)
  }

  /// The merged text with the comments of the entries that only THEIRS has added.
  ///
  /// Where a text cannot take them, or is not UTF-8, the entries stay without: their values are what counts.
  private func commented(
    _ merged: [UInt8], _ result: PropertyList, _ base: TextFile?, _ ours: TextFile, _ theirs: TextFile
  ) -> [UInt8] {
    // Window Maker refuses a file with a comment.
    guard ours.isText, theirs.isText, !ours.isWindowMakers(with: result),
      [ours, theirs].allSatisfy({ String(validating: $0.bytes, as: UTF8.self) != nil })
    else { return merged }
    let added = EntryTree(addedFrom: ours.root, to: theirs.root, missingIn: base?.root)
    guard added.count > 0 else { return merged }
    do throws(PropertyListError) {
      let source = try PropertyListTextEditor(theirs.bytes, options: theirs.options)
      var editor = try PropertyListTextEditor(merged, options: ours.options)
      try editor.add(source.comments(of: added), to: added)
      return editor.bytes
    } catch {
      return merged
    }
  }
}
