import DefaultsDatabase
import OpenStepPropertyList

/// A text file of an old store: its kind, and its value as that kind is read.
struct ImportedText {
  let kind: StoreKind
  let value: PropertyList
  /// How the value was read.
  let options: PropertyList.ParsingOptions
  /// Whether the text is not Unicode, so that its character set had to be assumed.
  let isEightBit: Bool

  init(
    _ bytes: [UInt8], path: String, as expected: StoreKind?,
    encoding: PropertyList.ParsingOptions.EightBitEncoding?, isOneDomain: Bool
  ) throws(DatabaseError) {
    var options = PropertyList.ParsingOptions.domainFile
    // Read without type notes first, a typed value can only be GNUstep's.
    options.honoursTypeNotes = false
    options.eightBitEncoding = encoding ?? ImportedText.usualEncoding(of: expected)
    var value = try ImportedText.value(of: bytes, options, path)
    let kind =
      !isOneDomain && ImportedFile.isDictionaryOfDomains(value)
      ? StoreKind.gnustepSingle
      : ImportedText.kind(
        of: value, in: bytes, options, fileName: PathNames.last(in: path), expected: expected)
    isEightBit = ImportedText.isEightBit(bytes)
    let encoding = encoding ?? ImportedText.usualEncoding(of: kind)
    let mayHaveNotes = bytes.contains(0) || ImportedText.hasComment(bytes)
    if kind == .windowMaker || mayHaveNotes || (isEightBit && encoding != options.eightBitEncoding) {
      options.honoursTypeNotes = true
      options.eightBitEncoding = encoding
      if kind == .windowMaker { options.octalEscapes = .utf8Bytes }
      value = try ImportedText.value(of: bytes, options, path)
    }
    self.kind = kind
    self.value = value
    self.options = options
  }

  private static func value(
    of bytes: [UInt8], _ options: PropertyList.ParsingOptions, _ path: String
  ) throws(DatabaseError) -> PropertyList {
    do throws(FormatError) {
      return try OpenStepFormat.propertyList(from: bytes, options: options)
    } catch {
      throw ImportedFile.error(error, path)
    }
  }

  /// The kind of a domain's text; the expected kind, unless the contents certainly show another.
  private static func kind(
    of value: PropertyList, in bytes: [UInt8], _ options: PropertyList.ParsingOptions, fileName: String,
    expected: StoreKind?
  ) -> StoreKind {
    if isWindowMakers(value, in: bytes, options, expected) { return .windowMaker }
    if expected == .gnustepSingle { return .gnustepSingle }
    if value.holdsTypedScalar { return .gnustep }
    switch expected {
    case .gnustep, .windowMaker:
      return expected ?? .openStep
    case .openStep, .macOS, .gnustepSingle, .json, .tagged, nil:
      // Too few keys to decide, as in a new file: then the file's name decides.
      return expected == nil && OpenStepFormat.isWindowMakerFile(fileName) ? .windowMaker : .openStep
    }
  }

  /// Whether a text is Window Maker's by what it holds. Another program's can have some of the keys by chance, and is another
  /// one's if that is expected, unless all of its keys and characters are Window Maker's.
  private static func isWindowMakers(
    _ value: PropertyList, in bytes: [UInt8], _ options: PropertyList.ParsingOptions, _ expected: StoreKind?
  ) -> Bool {
    if WindowMakerContents.isMenu(value) { return true }
    guard case .dictionary(let values) = value, WindowMakerContents.recognises(values) else { return false }
    let isOpen = expected == nil || expected == .windowMaker
    guard !isOpen else { return WindowMakerContents.canBe(bytes, holding: value, options) }
    return WindowMakerContents.areCertain(in: value) && WindowMakerContents.isWellFormed(bytes, options)
  }

  /// The character set that programs of a kind used for text that is not Unicode.
  private static func usualEncoding(of kind: StoreKind?) -> PropertyList.ParsingOptions.EightBitEncoding {
    kind == .gnustep || kind == .gnustepSingle ? .isoLatin1 : .nextStep
  }

  private static func hasComment(_ bytes: [UInt8]) -> Bool {
    bytes.indices.dropLast().contains { bytes[$0] == UInt8(ascii: "/") && bytes[$0 + 1] == UInt8(ascii: "*") }
  }

  private static func isEightBit(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return false }
    // Without a byte order mark, two bytes of which one is NUL are UTF-16.
    if bytes.count >= 2, (bytes[0] == 0) != (bytes[1] == 0) { return false }
    return !String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
  }
}

extension PropertyList {
  /// Whether it contains a number, a truth value or a date.
  var holdsTypedScalar: Bool {
    var pending = [self]
    while let value = pending.popLast() {
      switch value {
      case .integer, .real, .float, .boolean, .date: return true
      case .array(let elements): pending += elements
      case .dictionary(let entries): pending += entries.values
      case .string, .data: break
      }
    }
    return false
  }
}
