import DefaultsDatabase
import DefaultsImport
import OpenStepPropertyList

/// The contents of a property list's file that is to be changed, of any format.
struct TextFile {
  /// The whole file.
  let bytes: [UInt8]
  /// What it holds.
  let root: PropertyList
  /// How its text is read.
  let options: PropertyList.ParsingOptions
  /// What has told how its text is read.
  let reading: Reading
  private let format: DomainFileFormat
  /// Where it lies.
  let place: String
  /// What errors call the file.
  let path: String

  /// Whether it is binary, and has no lines.
  var isBinary: Bool { format == .binary }

  /// Whether it is text, of which every byte is kept that need not change.
  var isText: Bool { format == .openStep }

  /// Whether it has the name of one of Window Maker's own files.
  let isNamedAsWindowMakers: Bool

  /// Which types of values it can hold, with a value.
  func capacity(for new: PropertyList?) -> FileCapacity {
    isText && isWindowMakers(with: new) ? .noTypes : .everything
  }

  /// Whether it is Window Maker's file, in which there are no types, also with another value.
  ///
  /// Another program's file can have the keys of Window Maker's by chance, until it gets others.
  func isWindowMakers(with new: PropertyList?) -> Bool {
    isNamedAsWindowMakers
      || options.octalEscapes == .utf8Bytes && !reading.haveTypes
        && WindowMakerContents.areIn(new ?? root)
  }

  /// Reads the contents of a file.
  ///
  /// - Parameters:
  ///   - path: The path, whose last name tells how a text is read.
  ///   - reading: What else tells it.
  ///   - name: What errors call the file; nil for the path.
  /// - Throws: an error of the code `damaged` for what is no property list, and of `refused` for JSON, which is
  ///   not written.
  init(
    _ bytes: [UInt8], at path: String, _ reading: Reading, calledInErrors name: String? = nil
  ) throws {
    self.bytes = bytes
    self.reading = reading
    var options = TextFile.options(forFileAt: path)
    isNamedAsWindowMakers = options.octalEscapes == .utf8Bytes
    options.octalEscapes = reading.octalEscapes ?? options.octalEscapes
    place = path
    let path = name ?? path
    self.path = path
    guard !PropertyList.isJSON(bytes) else {
      throw CommandError(.refused, "\(path): is JSON, which is read and not changed; it was left as it is")
    }
    do throws(FormatError) {
      guard !bytes.isEmpty else { throw FormatError("is empty") }
      (root, format) =
        try reading == .contents
        ? DomainFileFormat.recognised(from: bytes, at: place, &options)
        : DomainFileFormat.propertyList(from: bytes, textOptions: options)
      self.options = options
    } catch {
      throw DatabaseError.damaged(path: path, error)
    }
  }

  /// Whether a key stands twice in one dictionary of a text.
  var hasEqualKeys: Bool {
    guard isText, let warnings = try? PropertyList.parsingWithWarnings(bytes, options: options).warnings
    else {
      return false
    }
    return warnings.contains { $0.kind == .equalKeys }
  }

  /// The file's bytes with another property list, in the same format.
  ///
  /// - Parameter finish: Adds comments to a text, which has the values already.
  /// - Throws: an error of the code `refused` where that would lose something.
  func bytes(
    changedTo new: PropertyList, finishing finish: ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> [UInt8] {
    do {
      return try changed(to: new, finishing: finish)
    } catch let error as FormatError where error.isTooLong {
      throw CommandError(
        .refused,
        "\(path): would take more than \(FileSize.maximum) bytes, and no larger file is read; it was left as it is"
      )
    }
  }

  private func changed(to new: PropertyList, finishing finish: ([UInt8]) -> [UInt8]) throws -> [UInt8] {
    if new == root {
      let finished = finish(bytes)
      return finished == bytes ? bytes : try settled(finished, holding: new)
    }
    switch format {
    case .openStep, .gnustep:
      let (changed, value) = try text(changedTo: new)
      return try settled(finish(changed), holding: value)
    case .binary:
      let changed = try format.exactBytes(of: new)
      try checkLoss(by: changed, writing: new)
      return changed
    case .xml:
      guard !PropertyList.hasComments(bytes) else {
        throw CommandError(
          .refused, "\(path): has comments, which the change of an XML file would lose; nothing was changed")
      }
      return try format.exactBytes(of: new)
    }
  }

  /// The changed text, and what it holds.
  private func text(changedTo new: PropertyList) throws -> (bytes: [UInt8], value: PropertyList) {
    let (isWindowMakers, capacity) = (isWindowMakers(with: new), capacity(for: new))
    let style = isWindowMakers ? PropertyList.Style.windowMaker : .openStep
    switch (root, new) {
    case (.dictionary(let before), .dictionary(let after)):
      var changes: [PropertyListKey: PropertyList?] = [:]
      for key in Set(before.keys).union(after.keys) where before[key] != after[key] {
        changes[key] = .some(try after[key].map { value in try capacity.held(value) })
      }
      func edited(for style: PropertyList.Style) throws(PropertyListError) -> EditedDictionary? {
        try EditedDictionary(changing: bytes, checked: nil, by: changes, options: options, style: style)
      }
      // GNUstep reads no notes; its spelling does not hold every value, and makes a Double of a Float.
      let isGNUsteps =
        try !isWindowMakers && PropertyList.hasTypedValues(inText: bytes)
        && changes.allSatisfy { try $0.value.map { try FileCapacity.noFloats.held($0) } == $0.value }
      let inGNUsteps = isGNUsteps ? try? edited(for: .gnustep) : nil
      let edited = try inGNUsteps ?? edited(for: style)
      guard let edited else {
        let reason = UneditableText(bytes)
        throw CommandError(.refused, "\(path): \(reason.message); \(reason.advice)")
      }
      try checkLoss(by: edited.bytes, writing: .dictionary(changes.compactMapValues { $0 }))
      var entries = before
      for (key, value) in changes { entries[key] = value }
      return (edited.bytes, .dictionary(entries))
    case (.array(let before), .array(let after)):
      var editor = try PropertyListTextEditor(bytes, options: options, style: style)
      let head = zip(before, after).prefix { $0 == $1 }.count
      let limit = min(before.count, after.count) - head
      let tail = zip(before.reversed(), after.reversed()).prefix(limit).prefix { $0 == $1 }.count
      let changed = try after[head..<after.count - tail].map { try capacity.held($0) }
      try editor.replaceElements(head..<before.count - tail, with: changed)
      try checkLoss(by: editor.bytes, writing: .array(changed))
      return (editor.bytes, .array(before[..<head] + changed + before[(before.count - tail)...]))
    default:
      return (
        try OpenStepFormat.bytes(of: new, style: style, within: FileSize.maximum), try capacity.held(new)
      )
    }
  }

  /// Refuses changed bytes that have U+FFFD for what stands for no character, which no value holds.
  ///
  /// - Parameter value: What was written anew.
  private func checkLoss(by changed: [UInt8], writing value: PropertyList) throws(CommandError) {
    guard let lost = PropertyList.lostCharacter(from: bytes, to: changed, writing: value, options: options)
    else { return }
    throw CommandError(
      .refused,
      "\(lost.text(inFile: path)); the file is unchanged: give the value another text first, or delete it")
  }

  /// The text in which an entry has another key, at the same place; nil where it is better written anew.
  ///
  /// - Parameter new: What it holds then.
  func bytes(
    renaming path: PropertyListPath, to key: PropertyListKey, replacing replaces: Bool,
    holding new: PropertyList
  ) throws -> [UInt8]? {
    guard isText else { return nil }
    let edited = try TextFile.renaming(path, to: key, replacing: replaces, in: bytes, root, options)
    return try edited.map { try settled($0, holding: new) }
  }

  /// A text in which an entry has another key, at the same place; nil where the text is better written anew.
  ///
  /// In a text that this package has laid out, without comments, the entry moves to where its key is sorted.
  ///
  /// - Parameter root: What the text holds.
  static func renaming(
    _ path: PropertyListPath, to key: PropertyListKey, replacing replaces: Bool, in bytes: [UInt8],
    _ root: PropertyList, _ options: PropertyList.ParsingOptions
  ) throws -> [UInt8]? {
    guard DomainFileFormat(recognising: bytes) == .openStep, let steps = path.places(in: root) else {
      return nil
    }
    func isCanonical(_ style: PropertyList.Style) -> Bool {
      (try? root.bytes(style: style, within: bytes.count)) == bytes
    }
    if isCanonical(.openStep) || options.octalEscapes == .utf8Bytes && isCanonical(.windowMaker) {
      return nil
    }
    do throws(PropertyListError) {
      var editor = try PropertyListTextEditor(bytes, options: options)
      let new = steps.dropLast() + [.key(key)]
      if replaces, steps.last != .key(key) { try editor.remove(at: Array(new)) }
      try editor.rename(steps, to: key)
      return editor.bytes
    } catch {
      throw CommandError(.refused, "\(error); nothing was changed")
    }
  }
}

extension PropertyListPath {
  /// The places that the steps mean in a property list; nil for a path that leads to no value.
  func places(in root: PropertyList) -> [PropertyListPathStep]? {
    var places: [PropertyListPathStep] = []
    var value = root
    for step in steps {
      guard let inner = try? value.value(at: PropertyListPath([step])) else { return nil }
      switch (step, value) {
      case (.key(let key), _): places.append(.key(key))
      case (.index(let index), .array(let elements)):
        places.append(.index(index < 0 ? elements.count + index : index))
      default: return nil
      }
      value = inner
    }
    return places
  }
}
