/// What stands for no character in a file, and what no string holds: a value has U+FFFD in its place.
extension PropertyList {
  /// The error for the first place that stands for no character and that a change of a file would replace by U+FFFD; nil if
  /// it loses none.
  ///
  /// A changed text keeps the bytes of most values, so such places of both files are counted.
  ///
  /// - Parameters:
  ///   - old: The file's bytes, which are a property list.
  ///   - new: The bytes that take their place.
  ///   - value: What was written anew. Without U+FFFD in it, every such place that is gone was meant to go.
  ///   - options: How a text is read.
  /// - Complexity: linear in the length of the files, which are read only if the value has U+FFFD.
  package static func lostCharacter(
    from old: [UInt8], to new: [UInt8], writing value: PropertyList, options: ParsingOptions
  ) -> PropertyListError? {
    guard value.holdsReplacementCharacter, let (count, first) = lostCharacters(in: old, options),
      let first, count > lostCharacters(in: new, options)?.count ?? 0
    else { return nil }
    return PropertyListError(
      message: "\(first.kind.reasonOfLoss ?? ""), and only U+FFFD can be written for it",
      line: first.line, column: first.column, object: first.object, offset: first.offset)
  }

  /// The numbers of a property list's file that stand for no character, such as halves of surrogate pairs; nil if not all of
  /// them are known, as in binary files. Comments count as well.
  ///
  /// - Complexity: linear in the number of bytes.
  package static func lostNumbers(in bytes: [UInt8], options: ParsingOptions) -> [UInt32]? {
    if isXML(bytes) { return [] }
    if isBinary(bytes) { return losesCharacters(bytes, options: options) ? nil : [] }
    guard let numbers = try? PropertyListParser.lostNumbers(in: bytes, options: options) else { return nil }
    let known = numbers.compactMap { $0 }
    return known.count == numbers.count ? known : nil
  }

  /// Whether a place in a property list's file stands for no character.
  package static func losesCharacters(_ bytes: [UInt8], options: ParsingOptions = ParsingOptions()) -> Bool {
    lostCharacters(in: bytes, options)?.first != nil
  }

  /// How many places of a file stand for no character, and the first one; in a binary file at most one of each string
  /// counts, and no more than there are warnings. nil for what is no property list.
  private static func lostCharacters(
    in bytes: [UInt8], _ options: ParsingOptions
  ) -> (count: Int, first: PropertyListWarning?)? {
    do throws(PropertyListError) {
      if isBinary(bytes) {
        let warnings = try parsingWithWarnings(binary: bytes, bounds: options.bounds).warnings
        return (warnings.count, warnings.first)
      }
      // In XML it is an error.
      if isXML(bytes) { return (0, nil) }
      let count = try PropertyListParser.lostNumbers(in: bytes, options: options).count
      guard count > 0 else { return (0, nil) }
      let warnings = try parsingWithWarnings(bytes, options: options).warnings
      return (count, warnings.first { $0.kind.reasonOfLoss != nil })
    } catch {
      return nil
    }
  }

  /// Whether a file loses a place that stands for no character in a value that was made of it and of another one: the value
  /// has U+FFFD where the other one, whose text it changes, has not.
  ///
  /// - Parameters:
  ///   - file: The bytes of the file, which are a property list.
  ///   - other: The value whose text is changed.
  ///   - options: How the file is read.
  /// - Returns: The error for the first such place; nil if nothing is lost.
  /// - Complexity: linear in the sizes of the values, and in the file's where the value has U+FFFD.
  package func lostCharacter(
    of file: [UInt8], takenOver other: PropertyList?, options: ParsingOptions
  ) -> PropertyListError? {
    guard takesReplacementCharacter(over: other) else { return nil }
    return PropertyList.lostCharacter(from: file, to: [], writing: self, options: options)
  }

  /// Whether bytes are a text of an eight-bit set, which they do not name: neither ASCII nor another form of Unicode.
  package static func isEightBit(text bytes: [UInt8]) -> Bool {
    guard !isBinary(bytes), !isXML(bytes) else { return false }
    return if case .eightBit = TextEncodingForm(recognising: bytes, eightBitEncoding: .nextStep) { true } else
    { false }
  }

  /// Whether a string or a key has a character beyond ASCII.
  package var holdsNonASCII: Bool { takesNonASCII(over: nil) }

  /// Whether a string or a key has U+FFFD that another value has not at the same place.
  ///
  /// - Complexity: linear in the sizes of the values.
  package func takesReplacementCharacter(over other: PropertyList?) -> Bool {
    gainsText(over: other, where: \.holdsReplacementCharacter)
  }

  /// Whether a string or a key has a character beyond ASCII that another value has not at the same place.
  ///
  /// - Complexity: linear in the sizes of the values.
  package func takesNonASCII(over other: PropertyList?) -> Bool {
    gainsText(over: other) { value in
      if case .string(let text) = value { text.utf8.contains { $0 >= 0x80 } } else { false }
    }
  }

  /// Whether a string or a key of some kind is in the value, and not at the same place of another one.
  private func gainsText(over other: PropertyList?, where isSuch: (PropertyList) -> Bool) -> Bool {
    var pending = [(self, other)]
    while let (value, other) = pending.popLast() {
      switch value {
      case .string:
        if value != other, isSuch(value) { return true }
      case .array(let elements):
        let others: [PropertyList] = if case .array(let others)? = other { others } else { [] }
        // What stands before and behind inserted elements has other places.
        let head = zip(elements, others).prefix { $0 == $1 }.count
        let limit = min(elements.count, others.count) - head
        let tail = zip(elements.reversed(), others.reversed()).prefix(limit).prefix { $0 == $1 }.count
        for index in head..<elements.count - tail {
          pending.append((elements[index], index < others.count - tail ? others[index] : nil))
        }
      case .dictionary(let entries):
        let others: [PropertyListKey: PropertyList] =
          if case .dictionary(let others)? = other { others } else { [:] }
        for (key, element) in entries {
          if others[key] == nil, isSuch(.string(key.text)) { return true }
          pending.append((element, others[key]))
        }
      case .data, .integer, .real, .float, .boolean, .date:
        break
      }
    }
    return false
  }

  /// How many times U+FFFD is in the strings and keys of the value.
  ///
  /// - Complexity: linear in the size of the value.
  package var replacementCharacterCount: Int {
    var (count, pending) = (0, [self])
    func add(_ text: String) {
      // Its first byte is rare, and is looked for faster than the character.
      if text.utf8.contains(0xEF) { count += text.unicodeScalars.count { $0 == "\u{FFFD}" } }
    }
    while let value = pending.popLast() {
      switch value {
      case .string(let text): add(text)
      case .array(let elements): pending += elements
      case .dictionary(let entries):
        for key in entries.keys { add(key.text) }
        pending += entries.values
      case .data, .integer, .real, .float, .boolean, .date: break
      }
    }
    return count
  }

  /// Whether a string or a key in the value has U+FFFD, which a reader puts in the place of what is no character.
  package var holdsReplacementCharacter: Bool { replacementCharacterCount > 0 }
}
