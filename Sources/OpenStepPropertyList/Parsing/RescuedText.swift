/// What can still be read of a damaged text, or an XML document: the whole entries of its outermost dictionary.
///
/// Every entry that ends before the first damage is kept as it is. Behind damage reading goes on where a key and `=`
/// follow a semicolon or a line end at the depth of the outermost dictionary, in XML at a `<key>` there. Nothing is guessed inside a value: an
/// entry is kept as a whole, or lost as a whole. An entry behind damage does not replace one of the same key before it,
/// since it may belong to another dictionary. Where a brace ends a dictionary whose beginning is lost, every entry
/// between the first damage and the brace is lost too.
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
  /// The text without what is lost and without entries whose key stands there again, in UTF-8, with its comments and its
  /// layout; nil if that would not hold exactly ``values``, and for XML.
  package let remainder: [UInt8]?

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
      let text = XMLRescue.decoded(bytes)
      var xmlOptions = PropertyList.XMLParsingOptions()
      xmlOptions.bounds = options.bounds
      xmlOptions.undoesGNUstepEscapes = undoesGNUstepEscapes
      var rescue = XMLRescue(text.span, options: xmlOptions)
      guard rescue.run() else { return nil }
      parts = RescuedText.parts(rescue.parts, in: text)
      values = Dictionary(uniqueKeysWithValues: rescue.parts.compactMap(\.entry))
      remainder = nil
      source = .xml
      return
    }
    let (text, illFormed, isUTF8) = RescuedText.decoded(bytes, options)
    source = isUTF8 ? .utf8 : .otherText
    var entryOptions = options
    // An entry lies in a dictionary already.
    entryOptions.bounds.depth = max(0, min(options.bounds.depth, PropertyList.maximumDepth) - 1)
    var rescue = TextRescue(text.span, options: entryOptions, illFormed: illFormed)
    rescue.run()

    let found = rescue.parts
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
  private static func parts(_ found: [TextRescue.Part], in text: [UInt8]) -> [Part] {
    let places = found.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
    let positions = PropertyListPosition.positions(of: places, in: text)
    return found.indices.map { index in
      Part(key: found[index].entry?.key, start: positions[2 * index], end: positions[2 * index + 1])
    }
  }

  /// A text in UTF-8, the places of the bytes in it that are not well-formed, in ascending order, and whether it was
  /// UTF-8 before.
  ///
  /// A single damaged byte makes a text in UTF-8 look like one in an eight-bit set, in which every character beyond
  /// ASCII would be another. So the first character beyond ASCII tells, since it stands before the damage or is damaged
  /// itself; a text is also UTF-8 if most of these characters are well-formed.
  private static func decoded(
    _ bytes: [UInt8], _ options: PropertyList.ParsingOptions
  ) -> (text: [UInt8], illFormed: [Int], isUTF8: Bool) {
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
      return (text, illFormedPlaces(in: text).places, true)
    case .eightBit:
      let found = illFormedPlaces(in: bytes)
      let first = bytes.firstIndex { $0 >= 0x80 }
      let isUTF8 = found.characterCount > found.runCount || found.places.first != first
      // As an eight-bit text it may be valid, and then it is no other.
      if isUTF8, (try? PropertyList(parsing: bytes, options: options)) == nil {
        return (bytes, found.places, true)
      }
    case .utf16, .utf32: break
    }
    // Only a text with the mark of UTF-8 can be refused.
    return ((try? TextDecoding.utf8(of: bytes, eightBitEncoding: encoding)) ?? bytes, [], false)
  }

  /// The places of the bytes that are not UTF-8, how many runs they form, and how many characters beyond ASCII the
  /// others form.
  private static func illFormedPlaces(
    in bytes: [UInt8]
  ) -> (places: [Int], runCount: Int, characterCount: Int) {
    var (places, runCount, characterCount): ([Int], Int, Int) = ([], 0, 0)
    var (rest, position) = (bytes.makeIterator(), 0)
    var parser = Unicode.UTF8.ForwardParser()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded):
        if encoded.count > 1 { characterCount += 1 }
        position += encoded.count
      case .error(let length):
        if places.last != position - 1 || places.isEmpty { runCount += 1 }
        places += position..<position + length
        position += length
      case .emptyInput:
        return (places, runCount, characterCount)
      }
    }
  }
}
