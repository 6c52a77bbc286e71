import DefaultsDatabase
import OpenStepPropertyList

/// `merge`: brings the changes of two property lists together, as git's merge driver.
enum MergeCommand: Subcommand {
  static let name = "merge"
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm("[-p] [-L size] [-P path] BASE OURS THEIRS", "bring two changes of a file together")
  ]
  static let discussion = """
    OURS gets what THEIRS has changed from BASE, key by key; the bytes of a text that need not change
    stay. -p prints the result instead. Where both sides have changed one value in different ways, both are in
    the result between marks as git has them, -L signs long, and the exit code is 6; a line of standard
    error tells of each. Files that are no property lists are marked line by line. No side is ever dropped.
    The format is told by the contents. -P gives the name for messages. If OURS cannot be written, the exit
    code is 133. To have git merge by this command:

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
    let sides = try paths.map { path in
      guard let bytes = try PropertyListFile.bytes(at: path) else {
        throw CommandError(.inputOutput, "\(path): there is no such file")
      }
      return bytes
    }
    let name = label.isEmpty ? paths[1] : label
    let merge = ThreeFiles(base: sides[0], ours: sides[1], theirs: sides[2], name: name, markSize: size)
    let (bytes, messages) = merge.result(named: paths)
    for message in messages { try context.output.report(CommandError(.differs, message)) }
    if prints {
      try context.output.write(bytes)
    } else if bytes != sides[1] {
      do throws(DatabaseError) {
        try PropertyListFile.write(bytes, to: paths[1])
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
  func result(named paths: [String]) -> (bytes: [UInt8], conflicts: [String]) {
    if ours == theirs || theirs == base { return (ours, []) }
    if ours == base { return (theirs, []) }
    do {
      return try mergedByKey()
    } catch {
      let message =
        "\(name): merged line by line, since one of the three files cannot be merged by key: \(error)"
      return (marked(ours, theirs), [message])
    }
  }

  private func marked(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
    MergedLines.bytes(of: ours, and: theirs, markSize: markSize, labels: labels)
  }

  private func mergedByKey() throws -> (bytes: [UInt8], conflicts: [String]) {
    let files = try [base, ours, theirs].map { try TextFile($0, at: name) }
    let merge = PropertyListMerge(base: files[0].root, ours: files[1].root, theirs: files[2].root)
    guard let result = merge.result else { throw CommandError(.differs, "there is nothing in common") }
    if result == files[2].root { return (theirs, []) }
    let merged = try files[1].bytes(changedTo: result)
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
}
