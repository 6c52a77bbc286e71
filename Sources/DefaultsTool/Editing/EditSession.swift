import DefaultsDatabase
import OpenStepPropertyList

/// One editing of a file, until its text is written, given up or kept.
struct EditSession {
  private let file: EditedFile
  private let context: CommandContext
  private let editor: Editor
  private let directory: EditDirectory
  /// The text that was edited first.
  private let original: [UInt8]
  /// The file's bytes from which the present text was made; nil for no file.
  private var base: [UInt8]?
  /// The text after others' changes were brought into it; nil where there were none.
  private var merged: [UInt8]?

  init(of file: EditedFile, in context: CommandContext) throws {
    self.file = file
    self.context = context
    editor = try Editor(environment: context.environment)
    base = try file.bytes()
    original = try file.text(of: base)
    try file.checkChangeable(base)
    for leftOver in try EditDirectory.leftOvers(environment: context.environment)
    where haveEqualBytes(leftOver.file, file.path) {
      try context.output.report(
        CommandError(
          .done,
          "\(leftOver.path): is left of an earlier edit of \(file.name); look what it holds, and remove it")
      )
    }
    directory = try EditDirectory(for: file.path, original, environment: context.environment)
  }

  /// Has the text edited and writes it; asks where it cannot be written.
  mutating func run() throws -> ExitCode {
    var isKept = true
    defer { if isKept { directory.close() } else { directory.remove() } }
    var decision = Decision.edit(at: nil)
    while true {
      let text: [UInt8]
      switch decision {
      case .write(let chosen): text = chosen
      case .keep(let error): throw error
      case .edit(let line):
        // What an editor prints comes behind it.
        try context.output.flush()
        let outcome = try edit(at: line)
        do throws(DatabaseError) {
          text = try directory.text()
        } catch {
          throw kept(CommandError(error))
        }
        let isUnchanged = text == original && merged == nil
        guard outcome == .done else {
          isKept = !isUnchanged
          let error =
            outcome == .absent
            ? CommandError(
              .inputOutput, "the editor “\(editor.command)” cannot be started; nothing was changed")
            : CommandError(.refused, "the editor “\(editor.command)” has failed; nothing was changed")
          throw isKept ? kept(error) : error
        }
        if isUnchanged || text.allSatisfy({ (0x09...0x0D).contains($0) || $0 == 0x20 }) {
          isKept = false
          let reason = isUnchanged ? "unchanged" : "the text is empty, and was given up; nothing was changed"
          try context.output.report(CommandError(.done, "\(file.name): \(reason)"))
          return .done
        }
      }
      do {
        try write(text)
        isKept = false
        return .done
      } catch {
        decision = try self.decision(after: error as? EditMistake ?? EditMistake(CommandError(error)))
      }
    }
  }

  /// What is done next.
  private enum Decision {
    case edit(at: Int?)
    /// Without another look into the editor.
    case write([UInt8])
    /// The text stays where it is, and the error says so.
    case keep(CommandError)
  }

  private func edit(at line: Int?) throws -> Editor.Outcome {
    do throws(SystemError) {
      return try editor.edit(directory.textPath, at: line)
    } catch {
      throw kept(CommandError(.inputOutput, "the editor cannot be started: \(error)"))
    }
  }

  /// An error after which the text stays; where the error was told before, only that is left to say.
  private func kept(_ error: CommandError, isTold: Bool = false) -> CommandError {
    let place = "your text is kept as \(directory.textPath)"
    return isTold
      ? CommandError(error.code, place)
      : CommandError(error.code, "\(error.message); \(place)", excerpt: error.excerpt)
  }

  /// Reports what keeps the text from being written, and asks what is to be done; it stays where nobody can be asked.
  private func decision(after mistake: EditMistake) throws -> Decision {
    guard let ask = context.ask else { return .keep(kept(mistake.error)) }
    try context.output.report(mistake.error)
    let sides = mistake.sides == nil ? "" : " (m)ine, (t)heirs,"
    while let answer = try ask("(e)dit again,\(sides) (k)eep the text and stop:") {
      switch (answer.first, mistake.sides) {
      case ("e", _): return .edit(at: mistake.line)
      case ("m", let sides?): return .write(sides.mine)
      case ("t", let sides?): return .write(sides.theirs)
      case ("k", _): return .keep(kept(mistake.error, isTold: true))
      default: continue
      }
    }
    return .keep(kept(mistake.error, isTold: true))
  }

  // MARK: - Writing

  private mutating func write(_ text: [UInt8]) throws {
    let value = try file.value(ofText: text, at: directory.textPath)
    try file.checkEscapes(of: text, over: base, at: directory.textPath)
    var found = base
    do {
      var merge: EditMerge?
      var outcome = try replace(found, by: text, value)
      for _ in 1..<EditSession.attemptCount {
        guard case .changed(let present) = outcome else { break }
        found = present
        if present == base {
          merge = nil
          outcome = try replace(present, by: text, value)
        } else {
          // git, which this may run, is bound neither by the rights that are used in the directory nor by the lock.
          let merged = try self.merge(text, with: present).get()
          merge = merged
          outcome = try replace(present, by: merged.text, merged.value)
        }
      }
      switch outcome {
      case .changed:
        throw CommandError(
          .refused,
          "\(file.name): was changed by others again and again; nothing was changed, and it can be tried again"
        )
      case .written(let movedAside?):
        try context.output.report(
          CommandError(.done, "\(file.name): the damaged file was kept as \(movedAside)"))
      case .written(nil): break
      }
      for held in [merge?.held, file.heldByGNUstep(merge?.value ?? value, over: found)] {
        try context.output.tellOfLostTypes(in: held, rehearsing: false)
      }
      if let merge {
        let comments = merge.losesComments ? ", but not the others' comments" : ""
        try context.output.report(
          CommandError(
            .done, "\(file.name): was changed meanwhile; the other changes are in it as well\(comments)"))
      }
    } catch let conflict as EditConflict {
      if let reason = conflict.reason { try context.output.report(.conflict(reason)) }
      for place in conflict.places {
        try context.output.report(.conflict(place.text(of: file.name, ("yours", "now"))))
      }
      // The next edit begins with what can be brought together, and decides the rest.
      if let text = conflict.sides?.mine, context.ask != nil {
        try directory.replaceText(by: text)
        (base, merged) = (found, text)
      }
      let places = conflict.reason == nil ? ", in the same places" : ""
      let error = CommandError(
        .differs, "\(file.name): was changed meanwhile\(places); it is as the others have left it")
      throw EditMistake(error, sides: conflict.sides)
    }
  }

  /// How often a text is brought together with a file that others change each time before it can be written.
  private static let attemptCount = 5

  /// What came of an attempt to write.
  private enum Attempt {
    /// - Parameter movedAside: Where a damaged file was kept.
    case written(movedAside: String?)
    /// The file has other bytes than were expected, nil for no file, and is as it was.
    case changed([UInt8]?)
  }

  /// Writes a text if the file has the bytes for which it was made.
  private func replace(
    _ expected: [UInt8]?, by text: [UInt8], _ value: PropertyList
  ) throws -> Attempt {
    let damage: DamagePolicy = (try? file.value(of: base)) == nil ? .moveAside : .refuse
    do {
      return .written(
        movedAside: try file.replace(damage) { present in
          guard present == expected else { throw ExchangedFile(bytes: present) }
          return try file.contents(for: text, value, over: present, at: directory.textPath)
        })
    } catch let exchanged as ExchangedFile {
      return .changed(exchanged.bytes)
    }
  }

  /// Brings an edited text together with what others have made of the file.
  private func merge(_ text: [UInt8], with present: [UInt8]?) -> Result<EditMerge, EditConflict> {
    let reading = file.reading(of: [base, text, present])
    guard let (sides, options) = try? file.values(of: [base, text, present], reading) else {
      return .failure(EditConflict(reason: "\(file.name): what it was, or is, cannot be read"))
    }
    let (before, value, theirs) = (sides[0], sides[1], sides[2])
    let merge = PropertyListMerge(base: before, ours: value, theirs: theirs)
    let result = merge.result ?? value
    if merge.conflicts.isEmpty, let lines = mergedLines(text, present, as: result, reading) {
      return .success(EditMerge(text: lines, value: result, losesComments: false))
    }
    let names = ["the file as it was", "your text", file.name]
    let files = zip(names, zip([base, text, present], sides)).map { name, side in
      MergeSide(name: name, bytes: side.0 ?? [], root: side.1, options: options)
    }
    if let reason = MergeSide.reasonForLines(of: files, in: merge) {
      return .failure(EditConflict(reason: "\(reason); only lines could be merged, and these cannot"))
    }
    var held: HeldValue?
    /// The text with other values, or a new one where it cannot be changed as it is and is Unicode, so that its values are
    /// all that it means; nil where it is not.
    func changed(to value: PropertyList) -> [UInt8]? {
      let file = try? TextFile(text, at: file.path, reading)
      held = file.flatMap { try? HeldValue(value, over: $0.root, in: $0.capacity(for: value)) }
      let value = held?.value ?? value
      if let bytes = try? file?.bytes(changedTo: value) { return bytes }
      let isUnicode =
        !PropertyList.isEightBit(text: text) && !PropertyList.losesCharacters(text, options: options)
      return isUnicode ? try? value.bytes(style: .openStep, within: FileSize.maximum) : nil
    }
    let new = changed(to: result)
    if merge.conflicts.isEmpty {
      // The text of values in another format is not written itself.
      guard let merged = new ?? (file.isText(present) ? nil : text) else {
        return .failure(
          EditConflict(
            reason: "\(file.name): your text cannot take the others' changes without changing more than that")
        )
      }
      let losesComments = present.map(PropertyList.hasComments) ?? false
      return .success(
        EditMerge(text: merged, value: held?.value ?? result, losesComments: losesComments, held: held))
    }
    var choices: EditMistake.Sides?
    if let mine = new, let theirs = changed(to: merge.alternative ?? theirs) { choices = (mine, theirs) }
    return .failure(EditConflict(places: merge.conflicts, sides: choices))
  }

  /// The lines of both texts, which keep both sides' comments; nil if their lines cannot be merged, or if they would
  /// not have the merged value.
  private func mergedLines(
    _ text: [UInt8], _ present: [UInt8]?, as result: PropertyList, _ reading: TextFile.Reading
  ) -> [UInt8]? {
    guard let base, let present, file.isText(base), file.isText(present) else { return nil }
    let merge = GitLineMerge(
      base: base, ours: text, theirs: present, marks: MergedLines(markSize: 7, labels: ("", "")),
      environment: context.environment)
    guard let (lines, hasMarks) = merge.result(), !hasMarks,
      (try? file.values(of: [lines], reading))?.values.last == result,
      (try? TextFile(text, at: file.path, reading))?.isRead(lines, as: result) == true
    else {
      return nil
    }
    return lines
  }
}

/// A file that has other bytes than those for which a text was made.
private struct ExchangedFile: Error {
  let bytes: [UInt8]?
}

/// An edited text that was brought together with others' changes.
private struct EditMerge {
  let text: [UInt8]
  let value: PropertyList
  /// Whether the others' text has comments, which are not in this one.
  let losesComments: Bool
  /// What the file holds of the value, where that was found out.
  var held: HeldValue?
}

/// Places that were changed both in an edited text and by others.
private struct EditConflict: Error {
  /// Why the places are not known; nil if they are.
  var reason: String?
  var places = PropertyListMerge.Conflicts.none
  /// What can be written instead; nil if the changes of both cannot be brought together.
  var sides: EditMistake.Sides?
}
