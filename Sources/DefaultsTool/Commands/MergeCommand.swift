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
    stay. -p prints the result instead. Where both sides have changed one value in different ways, both are in
    the result between marks as git has them, -L signs long, and the exit code is 6; a line of standard
    error tells of each. Files that are no property lists are marked line by line. No side is ever dropped.
    Elements that one side has only added at the end of an array are added to what the other has made of it.
    Entries that only THEIRS has come with the comments above and behind them. The format is told by the
    contents. -P gives the name for messages. If a file cannot be read, or OURS not written, the exit code
    is 133, and OURS is as it was. To have git merge by this command:

      git config merge.defaults.driver 'defaults merge -L %L -P %P %O %A %B'
      git config diff.defaults.textconv 'defaults convert -to flat -textconv'
      echo '*.plist merge=defaults diff=defaults' >> .gitattributes
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    var (prints, size, label) = (false, 7, "")
    while let option = try words.option() {
      switch option {
      case "-p": prints = true
      case "-L":
        guard let number = Int(try words.argument(of: option, "a number of signs")),
          (1...1000).contains(number)
        else { throw usageError("“-L” takes a number of signs, 1 to 1000") }
        size = number
      case "-P": label = try words.argument(of: option, "a path")
      default: throw words.unknown(option)
      }
    }
    let paths = words.all()
    guard paths.count == 3, !paths.contains("-") else {
      throw usageError("“merge” takes three files: BASE OURS THEIRS")
    }
    let sides: [[UInt8]]
    do {
      sides = try paths.map { path in
        if let bytes = try PropertyListFile.bytes(at: path, fileSystem: context.fileSystem) { return bytes }
        throw CommandError(.inputOutput, "\(path): there is no such file")
      }
    } catch {
      // With another code, git would take OURS, which is as it was, for the result.
      try context.output.report(CommandError(error))
      return .unwritten
    }
    let name = label.isEmpty ? paths[1] : label
    let merge = ThreeFiles(base: sides[0], ours: sides[1], theirs: sides[2], name: name, markSize: size)
    let (bytes, messages) = merge.result()
    for message in messages { try context.output.report(CommandError(.differs, message)) }
    if prints {
      try context.output.write(bytes)
    } else if bytes != sides[1] {
      do throws(DatabaseError) {
        try PropertyListFile.write(bytes, to: paths[1], fileSystem: context.fileSystem)
      } catch {
        try context.output.report(CommandError(error))
        return .unwritten
      }
    }
    return messages.isEmpty ? .done : .differs
  }
}

/// The contents of the three files of a merge.
private struct ThreeFiles {
  let base: [UInt8]
  let ours: [UInt8]
  let theirs: [UInt8]
  /// The name for messages.
  let name: String
  let markSize: Int

  private var labels: (String, String) { ("ours \(name)", "theirs \(name)") }

  /// The merged bytes, and a line for each conflict.
  func result() -> (bytes: [UInt8], conflicts: [String]) {
    if ours == theirs || theirs == base { return (ours, []) }
    if ours == base { return (theirs, []) }
    do {
      return try mergedByKey()
    } catch {
      let message =
        "\(name): merged line by line, since it cannot be merged by key: \(CommandError(error).message)"
      return (marked(ours, theirs), [message])
    }
  }

  private func marked(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
    MergedLines.bytes(of: ours, and: theirs, markSize: markSize, labels: labels)
  }

  private func mergedByKey() throws -> (bytes: [UInt8], conflicts: [String]) {
    let files = try zip(["BASE", "OURS", "THEIRS"], [base, ours, theirs]).map { side, bytes in
      do {
        return try TextFile(bytes, at: name)
      } catch {
        throw CommandError(.differs, "\(side): \(CommandError(error).message)")
      }
    }
    let merge = PropertyListMerge(base: files[0].root, ours: files[1].root, theirs: files[2].root)
    guard let result = merge.result else { throw CommandError(.differs, "there is nothing in common") }
    let merged = commented(try files[1].bytes(changedTo: result), files[0], files[1], files[2])
    if merge.conflicts.isEmpty { return (merged, []) }
    var other: PropertyList = result
    var lines: [String] = []
    for conflict in merge.conflicts {
      let path = PropertyListPath(conflict.path)
      if path.steps.isEmpty {
        other = conflict.theirs ?? [:]
      } else if let value = conflict.theirs {
        other = try other.changed(at: path) { _ in value }
      } else {
        other = try other.removed(at: path)
      }
      let texts = try [conflict.ours, conflict.theirs].map {
        try $0.map { try DefaultLine.text(of: $0) } ?? "nothing"
      }
      lines.append("conflict: \(name): \(KeyArgument.text(of: path)): ours \(texts[0]), theirs \(texts[1])")
    }
    if files[1].isBinary {
      // Marks need lines.
      return (marked(try result.bytes(style: .openStep), try other.bytes(style: .openStep)), lines)
    }
    let alternative = try TextFile(merged, at: name).bytes(changedTo: other)
    return (marked(merged, alternative), lines)
  }

  /// The merged text with the comments of the entries that only THEIRS has added.
  ///
  /// Where a text cannot take them, or is not UTF-8, the entries stay without: their values are what counts.
  private func commented(
    _ merged: [UInt8], _ base: TextFile, _ ours: TextFile, _ theirs: TextFile
  ) -> [UInt8] {
    // Window Maker refuses a file with a comment.
    guard ours.isText, theirs.isText, ours.options.octalEscapes != .utf8Bytes,
      [ours, theirs].allSatisfy({ String(validating: $0.bytes, as: UTF8.self) != nil })
    else { return merged }
    let added = PropertyListDifference.between(ours.root, theirs.root).compactMap { difference in
      if case .added = difference.change,
        (try? base.root.value(at: PropertyListPath(difference.path))) == nil
      {
        difference.path
      } else {
        nil as [PropertyListPathStep]?
      }
    }
    do throws(PropertyListError) {
      let source = try PropertyListTextEditor(theirs.bytes, options: theirs.options)
      var editor = try PropertyListTextEditor(merged, options: ours.options)
      try editor.add(source.comments(of: added))
      return editor.bytes
    } catch {
      return merged
    }
  }
}
