/// Edits a text property list and leaves every byte alone that does not have to change.
///
/// Comments, blank lines, the order of entries, the spelling of other values, line ends, indentation and the
/// encoding stay. It is for files that people keep: a domain's file, an Xcode project, a `.strings` file or a
/// source of Glyphs.
///
/// ```swift
/// var editor = try PropertyListTextEditor(bytes)
/// try editor.set("13", at: ["Size"])
/// try editor.remove(at: ["Window", "frames", 0])
/// let edited = editor.bytes
/// ```
///
/// A new entry takes the layout of its neighbours. It is put where its key belongs if the keys of its dictionary
/// ascend, and behind the last entry otherwise. A comment belongs to the entry on whose line it ends; comment
/// lines directly above entries go with the last of these entries. After each change the whole text is validated,
/// and the container that changed is compared with what was meant.
///
/// Each change takes time in proportion to the length of the text.
public struct PropertyListTextEditor: Sendable {
  /// The text in its own encoding, with all changes so far.
  public internal(set) var bytes: [UInt8]
  let options: PropertyList.ParsingOptions
  /// Which readers new text is for.
  private let style: PropertyList.Style
  let form: TextEncodingForm
  /// The text if it was validated as a dictionary's in plain UTF-8.
  var checked: DictionaryText?

  /// Begins to edit a text.
  ///
  /// - Parameters:
  ///   - bytes: The whole text, in one of the encodings that ``PropertyList/init(parsing:options:)-([UInt8],_)``
  ///     reads.
  ///   - options: How the text is read. Without
  ///     ``PropertyList/ParsingOptions/honoursTypeNotes``, and so by default, no integers, reals, truth values and
  ///     dates can be set, since the text could not hold their types. With Window Maker's octal escapes
  ///     (``PropertyList/ParsingOptions/octalEscapes``) new text is written as Window Maker reads it.
  /// - Throws: `PropertyListError` if the text is damaged.
  public init(
    _ bytes: [UInt8], options: PropertyList.ParsingOptions = PropertyList.ParsingOptions()
  ) throws(PropertyListError) {
    let isWindowMakers = options.octalEscapes == .utf8Bytes
    try self.init(bytes, options: options, style: isWindowMakers ? .windowMaker : .openStep)
  }

  /// Begins to edit a text.
  ///
  /// - Parameter style: Which readers new text is for; without Window Maker among them it can have types.
  package init(
    _ bytes: [UInt8], options: PropertyList.ParsingOptions, style: PropertyList.Style
  ) throws(PropertyListError) {
    self.bytes = bytes
    self.options = options
    self.style = style
    form = TextEncodingForm(recognising: bytes, eightBitEncoding: options.eightBitEncoding)
    checked = DictionaryText(checking: bytes, options: options)
    if checked == nil { _ = try PropertyList(parsing: bytes, options: options) }
  }

  /// Begins to edit a text.
  ///
  /// - Throws: `PropertyListError` if the text is damaged.
  public init(
    _ text: String, options: PropertyList.ParsingOptions = PropertyList.ParsingOptions()
  ) throws(PropertyListError) {
    try self.init(Array(text.utf8), options: options)
  }

  /// The text with all changes so far.
  public var text: String {
    // The bytes were decoded before.
    String(decoding: (try? utf8) ?? bytes, as: UTF8.self)
  }

  /// The whole property list.
  ///
  /// - Throws: never for a text that was edited here; the parser's errors are passed on.
  public var value: PropertyList {
    get throws(PropertyListError) { try PropertyList(parsing: bytes, options: options) }
  }

  /// The value at a path; nil if there is none.
  ///
  /// - Parameter path: The steps from the outermost container; an empty path is the whole property list.
  /// - Complexity: linear in the length of the text.
  public func value(at path: [PropertyListPathStep]) throws(PropertyListError) -> PropertyList? {
    guard let last = path.last else { return try value }
    let edit = try edit
    guard let container = try container(at: path.dropLast(), in: edit) else { return nil }
    return edit.index(of: last, in: container).map { edit.value(of: container.items[$0]) }
  }

  // MARK: Changing

  /// Sets a value.
  ///
  /// Where there is a value already, only what differs is written: a dictionary takes the place of a dictionary
  /// entry by entry, and an array that of an array element by element. Missing dictionaries on the path are made.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - path: The steps from the outermost container to the value; at least one. The index behind an array's last
  ///     element appends.
  /// - Throws: `PropertyListError` if the path leads through a scalar or behind an array's end, or if the text
  ///   cannot hold the value; nothing is changed then.
  public mutating func set(
    _ value: PropertyList, at path: [PropertyListPathStep]
  ) throws(PropertyListError) {
    guard path.count <= PropertyList.maximumDepth else {
      throw PropertyListError(
        message: "the path has \(path.count) steps, more than \(PropertyList.maximumDepth), which can be read"
      )
    }
    let value = try storable(value)
    var edit = try edit
    guard var container = edit.rootItems(), !path.isEmpty else { throw noContainer([]) }
    for (depth, step) in path.enumerated() {
      guard let index = edit.index(of: step, in: container) else {
        let added = try wrapped(value, in: path[(depth + 1)...])
        switch step {
        case .key(let key) where container.kind != .array:
          try edit.change(container, by: [key: added], spelling: edit.outermostSpelling)
        case .index(let index) where container.kind == .array && index == container.starts.count:
          try edit.insert([added], into: container, at: index)
        default: throw mismatch(step, at: path[..<depth], container)
        }
        return try take(edit, in: container) { $0.added(key: step.key).map($0.newValue) == added }
      }
      if depth + 1 == path.count {
        try edit.replaceValue(of: container.items[index], in: container, with: value)
        return try take(edit, in: container) {
          $0.growth == 0 && $0.newValue(index) == value && $0.hasSameItems(except: index)
        }
      }
      guard let inner = edit.container(ofItem: index, in: container) else {
        throw noContainer(path[...depth])
      }
      container = inner
    }
  }

  /// Inserts an element into an array.
  ///
  /// - Parameters:
  ///   - value: The new element.
  ///   - path: The steps to the place, of which the last is an index from 0 to the number of elements.
  /// - Throws: `PropertyListError` if there is no such array; nothing is changed then.
  public mutating func insert(
    _ value: PropertyList, at path: [PropertyListPathStep]
  ) throws(PropertyListError) {
    let value = try storable(value)
    var edit = try edit
    guard let last = path.last, let array = try container(at: path.dropLast(), in: edit) else {
      throw noContainer(path.dropLast())
    }
    guard case .index(let index) = last, array.kind == .array, index >= 0, index <= array.starts.count else {
      throw mismatch(last, at: path.dropLast(), array)
    }
    try edit.insert([value], into: array, at: index)
    try take(edit, in: array) {
      $0.growth == 1 && $0.newValue(index) == value
        && $0.hasSameItems(before: index, behind: index + 1, oldBehind: index)
    }
  }

  /// Removes an entry or an element, with the comments that belong to it.
  ///
  /// If a dictionary has several entries with the key, all of them are removed.
  ///
  /// - Parameter path: The steps to the value; at least one.
  /// - Returns: false if there is no such value.
  /// - Throws: `PropertyListError` if the path leads through a scalar.
  @discardableResult
  public mutating func remove(at path: [PropertyListPathStep]) throws(PropertyListError) -> Bool {
    var edit = try edit
    guard let last = path.last, let container = try container(at: path.dropLast(), in: edit),
      let index = edit.index(of: last, in: container)
    else { return false }
    switch last {
    case .key(let key): try edit.change(container, by: [key: nil], spelling: edit.outermostSpelling)
    case .index: edit.remove([index], from: container)
    }
    let removed = last.key.map { key in
      Set(edit.indices(of: key, in: container))
    }
    try take(edit, in: container) { $0.hasOldItems(without: removed ?? [index]) }
    return true
  }

  /// Gives an entry another key; the entry keeps its place and its value's bytes.
  ///
  /// - Parameters:
  ///   - path: The steps to the entry, of which the last is its key.
  ///   - key: The new key.
  /// - Throws: `PropertyListError` if there is no such entry, or if there is one with the new key already.
  public mutating func rename(
    _ path: [PropertyListPathStep], to key: PropertyListKey
  ) throws(PropertyListError) {
    var edit = try edit
    guard case .key(let old)? = path.last, let container = try container(at: path.dropLast(), in: edit),
      let index = edit.index(of: .key(old), in: container)
    else { throw PropertyListError(message: "there is no entry at \(place(path[...]))") }
    if old == key { return }
    guard edit.index(of: .key(key), in: container) == nil else {
      throw PropertyListError(message: "there is an entry “\(key.text)” already")
    }
    let earlier = edit.indices(of: old, in: container).dropLast()
    try edit.rename(index, of: container, to: key, without: Array(earlier))
    let place = index - earlier.count
    try take(edit, in: container) {
      $0.newKey(place) == key && $0.newValue(place) == $0.oldValue(index)
        && $0.hasOldItems(without: Set(earlier), except: index)
    }
  }

  // MARK: Helpers

  private var utf8: [UInt8] {
    get throws(PropertyListError) {
      try TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding)
    }
  }

  var edit: TextEdit {
    get throws(PropertyListError) {
      if let checked { return try edit(checked.bytes, checked) }
      return try edit(utf8, nil)
    }
  }

  private func edit(_ text: [UInt8], _ checked: DictionaryText?) throws(PropertyListError) -> TextEdit {
    guard text.count < UInt32.max else {
      throw PropertyListError(message: "the text has \(text.count) bytes in UTF-8, too many to be edited")
    }
    return TextEdit(
      of: text, checked: checked, options: options, style: EditedDictionary.style(style, in: form))
  }

  /// The container at a path; nil if there is no value.
  func container(
    at path: ArraySlice<PropertyListPathStep>, in edit: TextEdit
  ) throws(PropertyListError) -> ContainerItems? {
    guard var container = edit.rootItems() else { throw noContainer([]) }
    for (depth, step) in zip(path.indices, path) {
      guard let index = edit.index(of: step, in: container) else { return nil }
      guard let inner = edit.container(ofItem: index, in: container) else {
        throw noContainer(path[...depth])
      }
      container = inner
    }
    return container
  }

  /// The value inside new dictionaries for the rest of a path.
  private func wrapped(
    _ value: PropertyList, in rest: ArraySlice<PropertyListPathStep>
  ) throws(PropertyListError) -> PropertyList {
    var value = value
    for step in rest.reversed() {
      switch step {
      case .key(let key): value = .dictionary([key: value])
      case .index(0): value = .array([value])
      case .index(let index):
        throw PropertyListError(message: "there is no array with an element before [\(index)]")
      }
    }
    return value
  }

  /// The value as the text can hold it.
  func storable(_ value: PropertyList) throws(PropertyListError) -> PropertyList {
    // Window Maker's files have strings only.
    if style == .windowMaker { return try value.withoutTypes }
    if options.honoursTypeNotes { return value }
    var pending = [value]
    while let next = pending.popLast() {
      switch next {
      case .string, .data: break
      case .array(let elements): pending += elements
      case .dictionary(let entries): pending += entries.values
      case .integer, .real, .float, .boolean, .date:
        throw PropertyListError(
          message:
            "“\(next.scalarText ?? "")” would lose its type, since this text is read without type notes; "
            + "set a string instead")
      }
    }
    return value
  }

  /// Takes an edit's result, if it holds what was meant.
  ///
  /// A text is read from front to back. Up to the container's bracket the bytes are the same, and so is what is
  /// read; behind the container they are the same again, if it ends where the old one did. So only the container
  /// has to be compared.
  ///
  /// - Parameter isMeant: Whether the container is right.
  mutating func take(
    _ edit: TextEdit, in container: ContainerItems,
    if isMeant: (EditedContainer) throws(PropertyListError) -> Bool
  ) throws(PropertyListError) {
    var edit = edit
    guard edit.isChanged else { return }
    guard let text = edit.result(),
      let encoded = form.applying(edit.splices, of: edit.text, giving: text, to: bytes),
      // A file's format is recognised by its first bytes.
      !PropertyList.isBinary(encoded), !PropertyList.isXML(encoded)
    else { throw notPossible }
    let newlyChecked = DictionaryText(checking: encoded, options: options)
    if newlyChecked == nil { _ = try PropertyList(parsing: encoded, options: options) }
    // An eight-bit text may be taken for another encoding without what was removed.
    let read =
      if let newlyChecked { newlyChecked.bytes } else {
        try TextDecoding.utf8(of: encoded, eightBitEncoding: options.eightBitEncoding)
      }
    guard read.span.hasEqualLongBytes(as: text.span) else { throw notPossible }
    let newEdit = try self.edit(text, newlyChecked)
    guard let new = self.container(container, after: edit, in: newEdit),
      try isMeant(EditedContainer(container, in: edit, after: new, in: newEdit))
    else { throw notPossible }
    bytes = encoded
    checked = newlyChecked
  }

  /// A container after an edit; nil if the text before or behind it was changed.
  private func container(
    _ old: ContainerItems, after edit: TextEdit, in newEdit: TextEdit
  ) -> ContainerItems? {
    guard old.kind != .entriesWithoutBraces else { return newEdit.rootItems() }
    let (bracket, closing) = (old.opening - 1, old.closing)
    guard let first = edit.splices.first, let last = edit.splices.last, first.range.lowerBound >= bracket,
      last.range.upperBound <= closing + 1, newEdit.text[bracket] == edit.text[bracket]
    else { return nil }
    let new = newEdit.items(at: bracket)
    return new.closing == closing + newEdit.text.count - edit.text.count ? new : nil
  }

  /// Takes the result of an edit that changes no value.
  ///
  /// - Throws: `PropertyListError` if the text would not hold the same value; nothing is changed then.
  mutating func takeIfEqual(_ edit: TextEdit) throws(PropertyListError) {
    var edit = edit
    guard edit.isChanged else { return }
    guard let text = edit.result(),
      let encoded = form.applying(edit.splices, of: edit.text, giving: text, to: bytes),
      // A file's format is recognised by its first bytes.
      !PropertyList.isBinary(encoded), !PropertyList.isXML(encoded),
      try PropertyList(parsing: encoded, options: options) == value
    else { throw notPossible }
    bytes = encoded
    checked = DictionaryText(checking: encoded, options: options)
  }

  private var notPossible: PropertyListError {
    PropertyListError(message: "the text cannot be changed here without changing more than that")
  }

  private func place(_ path: ArraySlice<PropertyListPathStep>) -> String {
    path.isEmpty ? "the beginning" : path.map(\.description).joined(separator: " ")
  }

  private func noContainer(_ path: ArraySlice<PropertyListPathStep>) -> PropertyListError {
    PropertyListError(message: "there is no dictionary and no array at \(place(path))")
  }

  private func mismatch(
    _ step: PropertyListPathStep, at path: ArraySlice<PropertyListPathStep>, _ container: ContainerItems
  ) -> PropertyListError {
    let kind = container.kind == .array ? "an array of \(container.starts.count)" : "a dictionary"
    return PropertyListError(message: "there is \(kind) at \(place(path)), which has no \(step)")
  }
}
