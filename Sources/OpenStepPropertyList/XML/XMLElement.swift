/// The elements of an XML property list.
enum XMLElement {
  case plist, dict, array, key, string, integer, real, `true`, `false`, date, data

  init?(name: String) {
    // No element has a longer name. Of a long one the comparison takes a time that grows with the square of its combining
    // marks.
    guard name.utf8.count <= 7 else { return nil }
    switch name {
    case "plist": self = .plist
    case "dict": self = .dict
    case "array": self = .array
    case "key": self = .key
    case "string": self = .string
    case "integer": self = .integer
    case "real": self = .real
    case "true": self = .true
    case "false": self = .false
    case "date": self = .date
    case "data": self = .data
    default: return nil
    }
  }

  /// The name in a tag.
  var name: StaticString {
    switch self {
    case .plist: "plist"
    case .dict: "dict"
    case .array: "array"
    case .key: "key"
    case .string: "string"
    case .integer: "integer"
    case .real: "real"
    case .true: "true"
    case .false: "false"
    case .date: "date"
    case .data: "data"
    }
  }
}

/// A start tag, an end tag or the tag of an empty element.
struct XMLTag {
  enum Kind { case start, end, empty }
  let element: XMLElement
  let kind: Kind

  /// The most common tags, recognised by the eight bytes after `<`, the first byte
  /// lowest; nil for all others.
  @inline(__always)
  static func common(_ word: UInt64) -> (tag: XMLTag, length: Int)? {
    @inline(__always)
    func begins(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      var expected: UInt64 = 0
      for index in 0..<count { expected |= UInt64(text.byte(at: index)) &<< UInt64(8 * index) }
      return word & (UInt64.max &>> UInt64(64 - 8 * count)) == expected
    }
    switch UInt8(truncatingIfNeeded: word) {
    case UInt8(ascii: "k"):
      if begins("key>") { return (XMLTag(element: .key, kind: .start), 5) }
    case UInt8(ascii: "s"):
      if begins("string>") { return (XMLTag(element: .string, kind: .start), 8) }
    case UInt8(ascii: "i"):
      if begins("integer>") { return (XMLTag(element: .integer, kind: .start), 9) }
    case UInt8(ascii: "t"):
      if begins("true/>") { return (XMLTag(element: .true, kind: .empty), 7) }
    case UInt8(ascii: "f"):
      if begins("false/>") { return (XMLTag(element: .false, kind: .empty), 8) }
    case UInt8(ascii: "r"):
      if begins("real>") { return (XMLTag(element: .real, kind: .start), 6) }
    case UInt8(ascii: "a"):
      if begins("array>") { return (XMLTag(element: .array, kind: .start), 7) }
    case UInt8(ascii: "d"):
      if begins("dict>") { return (XMLTag(element: .dict, kind: .start), 6) }
      if begins("date>") { return (XMLTag(element: .date, kind: .start), 6) }
      if begins("data>") { return (XMLTag(element: .data, kind: .start), 6) }
    case UInt8(ascii: "/"):
      if begins("/dict>") { return (XMLTag(element: .dict, kind: .end), 7) }
      if begins("/array>") { return (XMLTag(element: .array, kind: .end), 8) }
    default: break
    }
    return nil
  }
}
