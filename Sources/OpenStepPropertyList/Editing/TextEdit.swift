/// Changes of a valid text property list, collected as splices of its UTF-8.
///
/// What no change touches keeps its bytes. A dictionary that takes the place of a dictionary is compared by key,
/// and an array by its elements, so that only the parts that differ are written. Containers wait in a list
/// instead of recursion, because threads other than the first may have small stacks.
struct TextEdit {
  let lines: TextLines
  let options: PropertyList.ParsingOptions
  let style: PropertyList.Style
  /// The line end of the text's first line.
  let lineEnd: [UInt8]
  var splices: [TextSplice] = []
  /// A place of the text and the start of its line.
  ///
  /// Items come in the order of the text: where many share a line, none of it is searched twice.
  private var knownLine = (place: 0, start: 0)
  /// The containers whose contents are still to be replaced, as far as they differ.
  private var pending: [PendingContainer] = []
  /// The text if it was validated as a dictionary's.
  private let checked: DictionaryText?

  private struct PendingContainer {
    enum Contents {
      case entries([PropertyListKey: PropertyList])
      case elements([PropertyList])
    }
    let start: Int
    let contents: Contents
    let spelling: EditedSpelling
    /// In how many containers it lies that were replaced as far as they differ.
    let depth: Int
  }

  /// How many levels of a value that is set are compared: each of them is searched again, and a value of a
  /// thousand levels would take a thousand times as long. A deeper container is replaced as a whole.
  private static let deepestComparison = 64

  /// - Parameters:
  ///   - text: A text that the parser accepts with the options, of less than 4 GiB.
  ///   - checked: The same text if it was validated as a dictionary's.
  ///   - style: Which readers new text is for.
  init(
    of text: [UInt8], checked: DictionaryText?, options: PropertyList.ParsingOptions,
    style: PropertyList.Style
  ) {
    lines = TextLines(text: text)
    self.checked = checked
    self.options = options
    self.style = style
    lineEnd = lines.firstLineEnd(in: text.indices).map { Array($0) } ?? [0x0A]
  }

  var text: [UInt8] { lines.text }

  /// The spelling of the outermost container's surroundings.
  var outermostSpelling: EditedSpelling {
    var spelling = EditedSpelling(style: style)
    spelling.lineEnd = lineEnd
    return spelling
  }

  /// Whether something changes.
  var isChanged: Bool { !splices.isEmpty }

  /// Sorts the changes and gives the text after them; nil if two of them overlap.
  mutating func result() -> [UInt8]? {
    splices.sortByPlace()
    guard splices.areApart else { return nil }
    splices.keepTokensApart(fromCommentsOf: text)
    let result = splices.applied(to: text)
    guard isChanged, !hasBrackets, !ContainerItems.exist(in: result) else { return result }
    // A domain's file without any token is damaged, and gets an empty dictionary.
    let padding = text.reversed().prefix { $0 == 0 }.count
    let end = result.count - padding
    let isLineOpen = end > 0 && !TextLines.isLineEnd(result[end - 1])
    splices.insert((isLineOpen ? lineEnd : []) + Array("{}".utf8) + lineEnd, at: text.count - padding)
    splices.sortByPlace()
    return splices.areApart ? splices.applied(to: text) : nil
  }

  // MARK: Reading

  /// The items of the container whose bracket is at an offset.
  func items(at start: Int) -> ContainerItems {
    ContainerItems(of: text, at: start, honoursTypeNotes: options.honoursTypeNotes)
  }

  /// Whether the text begins with a bracket.
  private var hasBrackets: Bool {
    var cursor = TextCursor(text.span)
    cursor.skipGap()
    return cursor.byte == UInt8(ascii: "{") || cursor.byte == UInt8(ascii: "(")
  }

  /// The items of the text's dictionary or array; nil for a scalar.
  func rootItems() -> ContainerItems? {
    if let checked { return ContainerItems(of: checked) }
    var cursor = TextCursor(text.span)
    cursor.skipGap()
    switch cursor.byte {
    case UInt8(ascii: "{"), UInt8(ascii: "("): return items(at: cursor.position)
    case UInt8(ascii: "<"): return nil
    case nil: break
    default:
      // One string is a scalar; what has more is entries without braces.
      cursor.skipValidValue()
      cursor.skipGap()
      if cursor.byte == nil || cursor.byte == 0 { return nil }
    }
    return ContainerItems(of: text, at: 0, hasBraces: false, honoursTypeNotes: options.honoursTypeNotes)
  }

  /// The items of an item's value; nil if it is no container.
  func container(ofItem index: Int, in container: ContainerItems) -> ContainerItems? {
    container.bracket(ofItem: index).map { items(at: $0) }
  }

  func key(ofItem index: Int, in container: ContainerItems) -> PropertyListKey {
    PropertyListParser.key(in: text.span, at: Int(container.starts[index]), options: options)
  }

  /// The index of the item for a step; of several entries with one key the last.
  func index(of step: PropertyListPathStep, in container: ContainerItems) -> Int? {
    switch step {
    case .key(let key): container.kind == .array ? nil : indices(of: key, in: container).last
    case .index(let index):
      container.kind == .array && container.starts.indices.contains(index) ? index : nil
    }
  }

  /// The indices of the entries with a key, among some or all.
  func indices(
    of key: PropertyListKey, in container: ContainerItems, among range: Range<Int>? = nil
  ) -> [Int] {
    container.indices(ofKey: key, in: range ?? container.starts.indices) {
      self.key(ofItem: $0, in: container) == key
    }
  }

  /// The entries whose keys are among those that change, in the order of the text, among some or all.
  func entries(
    of dictionary: ContainerItems, among range: Range<Int>? = nil,
    changedBy changes: [PropertyListKey: PropertyList?]
  ) -> [(index: Int, key: PropertyListKey)] {
    // To make a key for each entry takes longer than to compare a few.
    if changes.count <= 4 {
      let found = changes.keys.flatMap { key in
        indices(of: key, in: dictionary, among: range).map { (index: $0, key: key) }
      }
      return found.sorted { $0.index < $1.index }
    }
    return (range ?? dictionary.starts.indices).compactMap { index in
      let key = key(ofItem: index, in: dictionary)
      return changes[key] == nil ? nil : (index, key)
    }
  }

  /// Whether the keys of some entries ascend.
  func haveAscendingKeys(_ indices: [Int], in container: ContainerItems) -> Bool {
    let (text, starts) = (text, container.starts)
    return zip(indices, indices.dropFirst()).allSatisfy { index, next in
      var (cursor, nextCursor) = (TextCursor(text.span), TextCursor(text.span))
      cursor.move(to: Int(starts[index]))
      nextCursor.move(to: Int(starts[next]))
      guard let key = cursor.plainKey(), let nextKey = nextCursor.plainKey() else {
        return self.key(ofItem: index, in: container) <= self.key(ofItem: next, in: container)
      }
      return !nextKey.precedes(key)
    }
  }

  func value(of item: ContainerItem) -> PropertyList {
    // `key;` is short for `key = key;`, and a missing value is the empty string.
    guard item.equals != nil || item.key == nil else {
      return .string(PropertyListParser.key(in: text.span, at: item.start, options: options).text)
    }
    if item.value.isEmpty { return "" }
    return PropertyListParser.value(in: text.span, at: item.value.lowerBound, options: options)
  }

  // MARK: Changing

  /// Changes entries of a dictionary, and what the changes concern inside their values.
  ///
  /// - Parameters:
  ///   - changed: The entries whose keys change, if they are known.
  ///   - changes: The new values; nil for a removed key.
  mutating func change(
    _ dictionary: ContainerItems, at changed: [(index: Int, key: PropertyListKey)]? = nil,
    by changes: [PropertyListKey: PropertyList?], spelling: EditedSpelling
  ) throws(PropertyListError) {
    let changed = changed ?? entries(of: dictionary, changedBy: changes)
    try change(dictionary, at: changed, by: changes, spelling: spelling, depth: 0)
    try changePending()
  }

  /// Replaces the value of an item, as far as it differs.
  mutating func replaceValue(
    of item: ContainerItem, in container: ContainerItems, with value: PropertyList
  ) throws(PropertyListError) {
    try replace(item, with: value, spelling: spelling(in: container), depth: 0)
    try changePending()
  }

  /// Inserts elements into an array.
  mutating func insert(
    _ elements: [PropertyList], into array: ContainerItems, at index: Int
  ) throws(PropertyListError) {
    var layout = layout(of: array, without: [])
    try layout.add(elements, behindElement: index - 1)
    splices += layout.finish()
  }

  /// Removes items of a container.
  mutating func remove(_ indices: [Int], from container: ContainerItems) {
    splices += layout(of: container, without: indices).finish()
  }

  /// Gives an entry another key, and removes others.
  mutating func rename(
    _ index: Int, of dictionary: ContainerItems, to key: PropertyListKey, without removed: [Int]
  ) throws(PropertyListError) {
    let item = dictionary.items[index]
    let place = item.key ?? item.start..<item.start
    var bytes = try spelling(in: dictionary).bytes(of: key)
    // `key;` is short for `key = key;`, and the value stays.
    if item.equals == nil { bytes += Array(" = ".utf8) + text[place] }
    splices.append(TextSplice(range: place, replacement: bytes))
    if !removed.isEmpty { remove(removed, from: dictionary) }
  }

  /// The spelling of the items of a container that nothing encloses.
  func spelling(in container: ContainerItems) -> EditedSpelling {
    var spelling = outermostSpelling
    spelling.isOnOneLine = isOnOneLine(container)
    spelling.isQuoted = isQuoted(container)
    spelling.unit = unit(of: container) ?? spelling.unit
    return spelling
  }

  mutating func layout(of container: ContainerItems, without removed: [Int]) -> ContainerLayout {
    var isRemoved = [Bool](repeating: false, count: container.starts.count)
    for index in removed { isRemoved[index] = true }
    return layout(of: container, isRemoved, outermostSpelling, own: spelling(in: container))
  }

  /// - Parameters:
  ///   - spelling: The spelling of what is around the container.
  ///   - own: The spelling of the container's items.
  private mutating func layout(
    of container: ContainerItems, _ isRemoved: [Bool], _ spelling: EditedSpelling, own: EditedSpelling
  ) -> ContainerLayout {
    let start = lineStart(of: max(container.opening - 1, 0))
    // A second reference to the changes would make the next one copy all of them.
    var reader = self
    (reader.splices, reader.pending) = ([], [])
    return ContainerLayout(
      of: container, onLineFrom: start, isRemoved: isRemoved, spelling: spelling, own: own, in: reader)
  }

  /// Replaces the contents of the containers that wait for it.
  mutating func changePending() throws(PropertyListError) {
    // In the order of the text, level by level: see `knownLine`.
    var count = 0
    while count < pending.count {
      let next = pending[count]
      count += 1
      let container = items(at: next.start)
      switch next.contents {
      case .entries(let entries):
        var changes = entries.mapValues { PropertyList?.some($0) }
        for index in container.starts.indices {
          let key = key(ofItem: index, in: container)
          if entries[key] == nil { changes[key] = .some(nil) }
        }
        try change(
          container, at: self.entries(of: container, changedBy: changes), by: changes,
          spelling: next.spelling, depth: next.depth)
      case .elements(let elements):
        try changeElements(of: container, to: elements, spelling: next.spelling, depth: next.depth)
      }
    }
    pending = []
  }

  private mutating func change(
    _ dictionary: ContainerItems, at changed: [(index: Int, key: PropertyListKey)],
    by changes: [PropertyListKey: PropertyList?], spelling: EditedSpelling, depth: Int
  ) throws(PropertyListError) {
    // Of equal keys the last one counts.
    var lastPlaces: [PropertyListKey: Int] = [:]
    var isRemoved = [Bool](repeating: false, count: dictionary.starts.count)
    for (index, key) in changed {
      lastPlaces[key] = index
      isRemoved[index] = changes[key] == .some(nil)
    }
    var own = spelling
    own.isOnOneLine = isOnOneLine(dictionary)
    own.isQuoted = isQuoted(dictionary)
    own.unit = unit(of: dictionary) ?? spelling.unit
    for (key, index) in lastPlaces.sorted(by: { $0.value < $1.value }) {
      guard case .some(let value?) = changes[key] else { continue }
      try replace(dictionary.items[index], with: value, spelling: own, depth: depth)
    }
    let added = changes.compactMap { key, value in
      lastPlaces[key] == nil ? value.map { (key: key, value: $0) } : nil
    }
    guard !added.isEmpty || isRemoved.contains(true) else { return }
    var layout = layout(of: dictionary, isRemoved, spelling, own: own)
    if !added.isEmpty {
      try layout.add(added.sorted { $0.key < $1.key })
    }
    splices += layout.finish()
  }

  private mutating func changeElements(
    of array: ContainerItems, to elements: [PropertyList], spelling: EditedSpelling, depth: Int
  ) throws(PropertyListError) {
    let old = array.items.map { value(of: $0) }
    var head = 0
    while head < min(old.count, elements.count), old[head] == elements[head] { head += 1 }
    var tail = 0
    while tail < min(old.count, elements.count) - head,
      old[old.count - 1 - tail] == elements[elements.count - 1 - tail]
    {
      tail += 1
    }
    let (oldEnd, newEnd) = (old.count - tail, elements.count - tail)
    let common = min(oldEnd, newEnd)
    var own = spelling
    own.isOnOneLine = isOnOneLine(array)
    own.unit = unit(of: array) ?? spelling.unit
    for index in head..<max(head, common) {
      try replace(array.items[index], with: elements[index], spelling: own, depth: depth)
    }
    guard oldEnd != newEnd else { return }
    let isRemoved = old.indices.map { $0 >= common && $0 < oldEnd }
    var layout = layout(of: array, isRemoved, spelling, own: own)
    if newEnd > oldEnd { try layout.add(Array(elements[common..<newEnd]), behindElement: common - 1) }
    splices += layout.finish()
  }

  /// Replaces the value of an item as far as it differs; the contents of a container wait for ``changePending()``.
  ///
  /// - Parameter own: The spelling of the container that has the item.
  mutating func replace(
    _ item: ContainerItem, with value: PropertyList, spelling own: EditedSpelling, depth: Int
  ) throws(PropertyListError) {
    guard item.equals != nil || item.key == nil else {
      if self.value(of: item) == value { return }
      return splices.insert(
        Array(" = ".utf8) + (try own.bytes(of: value)), at: item.value.lowerBound)
    }
    if item.value.isEmpty {
      if value == "" { return }
      let place = item.value.lowerBound
      let isApart = text[place - 1] != UInt8(ascii: "=") && text[place - 1] <= 0x20
      return splices.insert((isApart ? [] : [0x20]) + (try own.bytes(of: value)), at: place)
    }
    func add(_ contents: PendingContainer.Contents) {
      pending.append(
        PendingContainer(start: item.value.lowerBound, contents: contents, spelling: own, depth: depth + 1))
    }
    let isCompared = depth < TextEdit.deepestComparison
    switch (text[item.value.lowerBound], value) {
    case (UInt8(ascii: "{"), .dictionary(let entries)) where isCompared: add(.entries(entries))
    case (UInt8(ascii: "("), .array(let elements)) where isCompared: add(.elements(elements))
    default:
      let old = self.value(of: item)
      if old == value { return }
      var spelling = own
      switch value {
      case .string:
        if case .string(let text) = old, isQuote(at: item.value.lowerBound) {
          let needsQuotes = try own.quoting(false).needsQuotes(text)
          spelling.isQuoted = own.isQuoted || !needsQuotes
        }
      case .array, .dictionary:
        spelling = try spellingOfContainer(at: item, over: old, own)
      case .data, .integer, .real, .float, .boolean, .date: break
      }
      let isWide = if case .array = value { !spelling.isOnOneLine } else { false }
      let column = isWide ? column(of: item.value.lowerBound, onLineOf: item.start) : 0
      let bytes = try spelling.bytes(of: value, atColumn: column)
      splices.append(TextSplice(range: item.value.lowerBound..<item.noteEnd, replacement: bytes))
    }
  }

  private mutating func spellingOfContainer(
    at item: ContainerItem, over old: PropertyList, _ own: EditedSpelling
  ) throws(PropertyListError) -> EditedSpelling {
    var spelling = own
    if !own.isOnOneLine {
      switch old {
      case .array, .dictionary:
        spelling.isOnOneLine = lines.firstLineEnd(in: item.value) == nil
      case .string, .data, .integer, .real, .float, .boolean, .date: break
      }
    }
    if !spelling.isOnOneLine {
      let start = lineStart(of: item.start)
      spelling.indentation = Array(text[start..<min(lines.skippingBlanks(start), item.start)])
    }
    return spelling
  }

  // MARK: The look of a container

  /// Whether a container has no line end between its brackets, and is not a text's outermost one without them.
  func isOnOneLine(_ container: ContainerItems) -> Bool {
    guard container.kind != .entriesWithoutBraces, let last = container.starts.last else { return false }
    // The end of the container need not be found if there is a line end before its last item.
    return lines.firstLineEnd(in: container.opening..<Int(last)) == nil
      && lines.firstLineEnd(in: Int(last)..<container.closing) == nil
  }

  /// The blanks that the lines of a container have more than the line on which it begins; nil if that is
  /// unknown.
  private func unit(of container: ContainerItems) -> [UInt8]? {
    guard container.kind != .entriesWithoutBraces, let first = container.starts.first.map(Int.init),
      lines.firstLineEnd(in: container.opening..<first) != nil
    else { return nil }
    let outer = lines.indentation(of: container.opening - 1)
    let inner = lines.indentation(of: first)
    return inner.starts(with: outer) && inner.count > outer.count ? Array(inner.dropFirst(outer.count)) : nil
  }

  /// Whether all keys and all strings of a dictionary are quoted, and one of them needlessly.
  func isQuoted(_ dictionary: ContainerItems) -> Bool {
    guard dictionary.kind != .array else { return false }
    var hasNeedless = false
    for index in dictionary.starts.indices {
      let start = Int(dictionary.starts[index])
      guard isQuote(at: start) else { return false }
      if !hasNeedless { hasNeedless = isNeedless(at: start) }
      let item = dictionary.items[index]
      guard !item.value.isEmpty, item.noteEnd == item.value.upperBound else { continue }
      let place = item.value.lowerBound
      if isQuote(at: place) {
        if !hasNeedless { hasNeedless = isNeedless(at: place) }
      } else if TextCursor.isUnquoted(text[place]) {
        return false
      }
    }
    return hasNeedless
  }

  private func isQuote(at place: Int) -> Bool {
    text[place] == UInt8(ascii: "\"") || text[place] == UInt8(ascii: "'")
  }

  /// Whether the string at a quote could stand without quotes.
  private func isNeedless(at place: Int) -> Bool {
    var end = place + 1
    while end < text.count, TextCursor.isBare(text[end]) { end += 1 }
    return end > place + 1 && end < text.count && text[end] == text[place]
  }

  /// The start of the line of an item.
  mutating func lineStart(of place: Int) -> Int {
    var start = place
    while start > 0, !TextLines.isLineEnd(text[start - 1]) {
      if start == knownLine.place {
        start = knownLine.start
        break
      }
      start -= 1
    }
    knownLine = (place, start)
    return start
  }

  /// The number of characters before a place on its line, or more than fit on a line.
  private mutating func column(of place: Int, onLineOf start: Int) -> Int {
    column(of: place, onLineFrom: lineStart(of: start))
  }

  /// - Parameter start: Where the line begins.
  func column(of place: Int, onLineFrom start: Int) -> Int {
    // A character has at most four bytes.
    text[start..<place].suffix(4 * PropertyListWriter.lineWidth).count { $0 & 0xC0 != 0x80 }
  }
}

extension TextCursor {
  /// Whether a byte is a letter, a digit, `_` or `.`, which every reader accepts without quotes.
  static func isBare(_ byte: UInt8) -> Bool {
    ByteClasses.notBare(UInt64(byte)) & 0x80 == 0
  }
}

extension EditedSpelling {
  /// Whether a string cannot stand without quotes.
  func needsQuotes(_ text: String) throws(PropertyListError) -> Bool {
    try bytes(of: .string(text)).first == UInt8(ascii: "\"")
  }
}
