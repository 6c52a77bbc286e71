import OpenStepPropertyList

/// One of the files that are merged.
struct MergeSide {
  /// What messages call it.
  let name: String
  let bytes: [UInt8]
  let root: PropertyList
  let options: PropertyList.ParsingOptions

  /// Why the values of three files do not tell all that their bytes do, so that only their lines can be merged; nil where
  /// the values do.
  ///
  /// All that stands for no character is the same value. The set of an eight-bit text is not known: its characters can stay,
  /// but not be compared with another file's, or be written into it.
  ///
  /// - Parameters:
  ///   - sides: What both sides had (unless they had nothing), ours and theirs.
  ///   - merge: The merge of their values.
  static func reasonForLines(of sides: [MergeSide], in merge: PropertyListMerge) -> String? {
    guard let theirs = sides.last else { return nil }
    let ours = sides[sides.count - 2].root
    func takes(_ isSuch: (PropertyList) -> Bool) -> Bool {
      [merge.result, merge.alternative].contains { $0.map(isSuch) == true }
    }
    if !areOneCharacter(sides) || takes({ $0.takesReplacementCharacter(over: ours) }) {
      for side in sides {
        let lost = PropertyList.lostCharacter(
          from: side.bytes, to: [], writing: side.root, options: side.options)
        if let lost { return lost.text(inFile: side.name) }
      }
    }
    guard let eightBit = sides.last(where: \.isEightBit) else { return nil }
    let isMixed = sides.contains { !$0.isEightBit && $0.root.holdsNonASCII }
    let takesCharacters = theirs.isEightBit && takes { $0.takesNonASCII(over: ours) }
    return isMixed || takesCharacters
      ? "\(eightBit.name): is not UTF-8, and its set of characters is not known" : nil
  }

  /// Whether each U+FFFD in the values stands for the same thing, so that equal values are equal bytes.
  private static func areOneCharacter(_ sides: [MergeSide]) -> Bool {
    let numbers = sides.map { PropertyList.lostNumbers(in: $0.bytes, options: $0.options) }
    let known = Set(numbers.compactMap { $0 }.joined())
    return numbers.allSatisfy { $0 != nil }
      && (known.isEmpty
        || known.count == 1
          && zip(sides, numbers).allSatisfy { $1?.count == $0.root.replacementCharacterCount })
  }

  private var isEightBit: Bool { PropertyList.isEightBit(text: bytes) }
}

extension MergeSide {
  init(_ file: TextFile) {
    self.init(name: file.path, bytes: file.bytes, root: file.root, options: file.options)
  }
}
