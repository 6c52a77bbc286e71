/// What can still be read of a damaged text or XML document: the whole entries of its outermost dictionary.
///
/// An entry is kept as a whole or lost as a whole; nothing is guessed inside a value. Every entry that ends before the
/// first damage is kept. Behind damage, what may belong to an inner dictionary whose beginning is lost is lost too.
///
/// ``TextRescue`` and ``XMLRescue`` have the rules by which reading goes on behind damage.
package struct RescuedText: Sendable {
  /// An entry that is kept, or a stretch that is lost.
  package struct Part: Hashable, Sendable {
    /// The entry's key; nil for what is lost.
    package let key: PropertyListKey?
    /// Where it begins.
    package let start: PropertyListPosition
    /// The place behind it.
    package let end: PropertyListPosition
  }

  /// What the damaged bytes are.
  package enum Source: Hashable, Sendable {
    case utf8
    /// A text in UTF-16, UTF-32 or an eight-bit set.
    case otherText
    case xml
  }

  /// What was read.
  package let source: Source
  /// The entries and the lost stretches, in the order of the text.
  package let parts: [Part]
  /// The entries that are kept.
  package let values: [PropertyListKey: PropertyList]
  /// What is left of a text, with its comments and its layout, in UTF-8: the text without what is lost, and without
  /// entries whose key stands there again.
  ///
  /// It is nil where it would not hold exactly ``values``, and always nil for XML.
  package let remainder: [UInt8]?

  /// Where U+FFFD stands in what is left for half of a character, a lone surrogate of UTF-16 or UTF-32, or for a number of
  /// UTF-32 that is none; UTF-8 has neither.
  package let replacedHalves: [PropertyListPosition]

  /// How many parts are kept.
  package var keptCount: Int { parts.count { $0.key != nil } }

  /// Reads what is whole in a text; of a text without damage that is everything.
  ///
  /// - Parameters:
  ///   - bytes: The whole text, in any of the encodings that are read.
  ///   - options: How it is read.
  ///   - undoesGNUstepEscapes: Whether `\U001B` in XML stands for a character, as in GNUstep's own files.
  /// - Returns: nil for XML without a dictionary, for binary property lists, and for a text that is too large to be
  ///   read.
  /// - Complexity: linear in the number of bytes.
  package init?(
    _ bytes: [UInt8], options: PropertyList.ParsingOptions, undoesGNUstepEscapes: Bool = false
  ) {
    guard bytes.count <= options.bounds.byteCount, !PropertyList.isBinary(bytes) else { return nil }
    guard !PropertyList.isXML(bytes) else {
      let (text, illFormed) = XMLDecoding.damagedUTF8(of: bytes)
      var xmlOptions = PropertyList.XMLParsingOptions()
      xmlOptions.bounds = options.bounds
      xmlOptions.undoesGNUstepEscapes = undoesGNUstepEscapes
      var rescue = XMLRescue(text.span, options: xmlOptions, illFormed: illFormed)
      guard rescue.run() else { return nil }
      let found = rescue.parts.list
      parts = RescuedText.parts(found, in: text)
      values = Dictionary(uniqueKeysWithValues: found.compactMap(\.entry))
      remainder = nil
      replacedHalves = []
      source = .xml
      return
    }
    let (text, illFormed, halves, isUTF8) = RescuedText.decoded(bytes, options)
    source = isUTF8 ? .utf8 : .otherText
    var entryOptions = options
    // An entry lies in a dictionary already.
    entryOptions.bounds.depth = max(0, min(options.bounds.depth, PropertyList.maximumDepth) - 1)
    var rescue = TextRescue(text.span, options: entryOptions, illFormed: illFormed)
    rescue.run()

    let found = rescue.parts.list
    parts = RescuedText.parts(found, in: text)
    var values: [PropertyListKey: PropertyList] = [:]
    var cuts: [Range<Int>] = []
    for part in found.reversed() {
      // The last of two equal keys wins.
      if let entry = part.entry, values[entry.key] == nil {
        values[entry.key] = entry.value
      } else {
        cuts.append(part.range)
      }
    }
    cuts.reverse()
    self.values = values
    var cutsAhead = cuts[...]
    let halvesLeft = halves.filter { half in
      cutsAhead = cutsAhead.drop { $0.upperBound <= half }
      return cutsAhead.first?.contains(half) != true
    }
    replacedHalves = PropertyListPosition.positions(of: halvesLeft, in: text)

    var rest: [UInt8] = []
    var copied = 0
    if !rescue.hasOpeningBrace, let brace = rescue.closingBrace { cuts.append(brace..<brace + 1) }
    for cut in cuts {
      rest += text[copied..<cut.lowerBound]
      copied = cut.upperBound
    }
    rest += text[copied...]
    while rest.last == 0 { rest.removeLast() }
    if rescue.hasOpeningBrace, rescue.closingBrace == nil {
      rest += rest.last == 0x0A ? [UInt8(ascii: "}"), 0x0A] : [0x0A, UInt8(ascii: "}"), 0x0A]
    }
    let holdsAll = (try? PropertyList(parsing: rest, options: options)) == .dictionary(values)
    remainder = holdsAll ? rest : nil
  }

  /// The parts with their positions.
  private static func parts(_ found: [RescueParts.Part], in text: [UInt8]) -> [Part] {
    let places = found.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
    let positions = PropertyListPosition.positions(of: places, in: text)
    return found.indices.map { index in
      Part(key: found[index].entry?.key, start: positions[2 * index], end: positions[2 * index + 1])
    }
  }

  /// A text in UTF-8, the places of the bytes in it that are not well-formed and of each U+FFFD that stands for half of
  /// a character, in ascending order, and whether it was UTF-8 before.
  ///
  /// A single damaged byte makes a text in UTF-8 look like one in an eight-bit set, in which every character beyond
  /// ASCII would be another. So the first character beyond ASCII tells, since it stands before the damage or is damaged
  /// itself; a text is also UTF-8 if most of these characters are well-formed, in all of it or in what would be kept of it
  /// as an eight-bit text.
  private static func decoded(
    _ bytes: [UInt8], _ options: PropertyList.ParsingOptions
  ) -> (text: [UInt8], illFormed: [Int], halves: [Int], isUTF8: Bool) {
    let encoding = options.eightBitEncoding
    var bytes = bytes
    // A text that was cut off is no longer recognised as UTF-32.
    for mark in [[0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF]] as [[UInt8]] where bytes.starts(with: mark) {
      bytes.removeLast(bytes.count % 4)
    }
    let form = TextEncodingForm(recognising: bytes, eightBitEncoding: encoding)
    switch form {
    case .utf8:
      let text = Array(bytes.dropFirst(form.markCount))
      return (text, TextDecoding.utf8Evidence(in: text).places, [], true)
    case .eightBit:
      let found = TextDecoding.utf8Evidence(in: bytes, maximumPlaceCount: 0)
      let first = bytes.firstIndex { $0 >= 0x80 }
      let isMostlyUTF8 = found.characterCount > found.runCount || found.firstCharacter == first
      // As an eight-bit text it may be valid, and then it is no other.
      if (try? PropertyList(parsing: bytes, options: options)) == nil,
        isMostlyUTF8 || isKeptAsUTF8(bytes, options)
      {
        return (bytes, TextDecoding.utf8Evidence(in: bytes).places, [], true)
      }
    case .utf16, .utf32: break
    }
    // Only a text with the mark of UTF-8 can be refused.
    var halves: [Int] = []
    let text = try? TextDecoding.utf8(of: bytes, eightBitEncoding: encoding) {
      if $0.kind != .unassignedByte { halves.append($0.offset) }
    }
    return (text ?? bytes, [], halves, false)
  }

  /// Whether the entries that would be kept of an eight-bit text are rather UTF-8: they have such characters, and not more
  /// bytes that are no UTF-8.
  ///
  /// Damage that is lost in any case, such as a block of the disk that was overwritten, says nothing of the others.
  private static func isKeptAsUTF8(_ bytes: [UInt8], _ options: PropertyList.ParsingOptions) -> Bool {
    guard let text = try? TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding) else {
      return false
    }
    var rescue = TextRescue(text.span, options: options, illFormed: [])
    rescue.run()
    var (runCount, characterCount) = (0, 0)
    // Each byte is one character of the text.
    var (index, place) = (0, 0)
    for part in rescue.parts.list where part.entry != nil {
      func advance(to end: Int) {
        while place < end {
          repeat { place += 1 } while place < end && UTF8.isContinuation(text[place])
          index += 1
        }
      }
      advance(to: part.range.lowerBound)
      let start = index
      advance(to: part.range.upperBound)
      let found = TextDecoding.utf8Evidence(in: Array(bytes[start..<index]), maximumPlaceCount: 0)
      runCount += found.runCount
      characterCount += found.characterCount
    }
    return characterCount > 0 && characterCount >= runCount
  }
}
