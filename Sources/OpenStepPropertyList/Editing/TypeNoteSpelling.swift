extension PropertyList {
  /// A text with GNUstep's spelling of typed values, such as `<*I5>`, in place of strings with notes of types, which are
  /// comments to GNUstep; all else stays, comments and layout as well.
  ///
  /// - Parameter options: How the text is read; its notes are honoured in any case.
  /// - Returns: nil if the text would not hold the same values without notes. That spelling makes reals of floats.
  /// - Throws: `PropertyListError` for a value for which there is no such spelling.
  /// - Complexity: linear in the length of the text.
  package static func spellingNotesAsGNUstep(
    inText bytes: [UInt8], options: ParsingOptions
  ) throws(PropertyListError) -> [UInt8]? {
    var (honouring, ignoring) = (options, options)
    (honouring.honoursTypeNotes, ignoring.honoursTypeNotes) = (true, false)
    let text = try TextDecoding.utf8(of: bytes, eightBitEncoding: options.eightBitEncoding)
    let spelling = EditedSpelling(style: .gnustep)
    var splices: [TextSplice] = []
    var cursor = TextCursor(text.span)
    while true {
      cursor.skipGap()
      let start = cursor.position
      guard let byte = cursor.byte else { break }
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || TextCursor.isUnquoted(byte) else {
        if byte == UInt8(ascii: "<") { cursor.skipValidValue() } else { cursor.advance() }
        continue
      }
      cursor.skipValidValue()
      cursor.skipWhiteSpace()
      guard cursor.byte == UInt8(ascii: "/"), let note = TypeNote(at: cursor) else { continue }
      let value = PropertyListParser.value(in: text.span, at: start, options: honouring)
      // A note that does not fit is a comment.
      if case .string = value { continue }
      cursor.advance(by: note.comment.utf8.count)
      let end = cursor.position
      cursor.skipGap()
      // So is one behind a key.
      if cursor.byte == UInt8(ascii: "=") { continue }
      splices.append(TextSplice(range: start..<end, replacement: try spelling.bytes(of: value)))
    }
    let form = TextEncodingForm(recognising: bytes, eightBitEncoding: options.eightBitEncoding)
    guard let spelled = form.applying(splices, of: text, giving: splices.applied(to: text), to: bytes) else {
      return nil
    }
    let meant = try PropertyList(parsing: bytes, options: honouring)
    return try PropertyList(parsing: spelled, options: ignoring) == meant.withoutFloats ? spelled : nil
  }

  /// The value with a Double in place of each Float.
  package var withoutFloats: PropertyList {
    switch self {
    case .float(let number): .real(Double(number))
    case .array(let elements): .array(elements.map(\.withoutFloats))
    case .dictionary(let entries): .dictionary(entries.mapValues(\.withoutFloats))
    case .string, .data, .integer, .real, .boolean, .date: self
    }
  }
}
