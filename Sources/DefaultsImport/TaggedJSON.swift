package import DefaultsDatabase
package import OpenStepPropertyList

/// JSON in which every value is an object whose only key is the tag of its type, as `-to tagged` prints it.
///
/// Such a text is JSON with other values, too: `{"o":{}}` is an empty dictionary, or one with the key “o”. So it is read
/// only where somebody says that it is tagged.
package enum TaggedJSON {
  /// Reads a whole text.
  ///
  /// - Throws: an error with the place in a text that is no JSON, and with the path to a value without a tag.
  package static func value(from bytes: [UInt8]) throws(FormatError) -> PropertyList {
    let tagged: PropertyList
    do throws(PropertyListError) {
      tagged = try PropertyList(parsingTaggedJSON: bytes)
    } catch {
      throw FormatError(error, in: bytes)
    }
    var steps: [PropertyListPath.Step] = []
    return try value(of: tagged, at: &steps)
  }

  /// What is to be said of JSON that has a tag at every place, and was not read as tagged.
  ///
  /// - Parameter way: The option or command by which it is read as tagged.
  package static func remark(advising way: String) -> String {
    "has the form of tagged JSON and was read as plain JSON; “\(way)” takes the tags for types"
  }

  /// Whether a value that was read as JSON has a tag at every place.
  package static func isTagged(_ value: PropertyList) -> Bool {
    var steps: [PropertyListPath.Step] = []
    return (try? self.value(of: value, at: &steps)) != nil
  }

  /// - Parameter steps: The path to the value; the same afterwards, unless it throws.
  private static func value(
    of tagged: PropertyList, at steps: inout [PropertyListPath.Step]
  ) throws(FormatError) -> PropertyList {
    guard case .dictionary(let entries) = tagged, entries.count == 1, let (tag, content) = entries.first
    else {
      throw error(at: steps, "is no object whose only key is the tag of a type, as in {\"s\":\"text\"}")
    }
    // No tag is longer. Of a long key a comparison takes a time that grows with the square of its combining marks.
    let name = tag.text.utf8.count <= 4 ? tag.text : ""
    if steps.count >= PropertyList.maximumDepth, ["a", "o", "uid"].contains(name) {
      throw FormatError("is no tagged JSON: more than \(PropertyList.maximumDepth) containers are nested")
    }
    switch (name, content) {
    case ("a", .array(let elements)):
      var values: [PropertyList] = []
      values.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        steps.append(.index(index))
        values.append(try value(of: element, at: &steps))
        steps.removeLast()
      }
      return .array(values)
    case ("o", .dictionary(let entries)):
      var values: [PropertyListKey: PropertyList] = [:]
      for (key, entry) in entries {
        steps.append(.key(key))
        values[key] = try value(of: entry, at: &steps)
        steps.removeLast()
      }
      return .dictionary(values)
    case ("s", .string): return content
    case ("bool", .boolean): return content
    case (_, .string(let text)):
      if let value = scalar(text, tag: name) { return value }
    default: break
    }
    throw error(
      at: steps,
      ["s", "d", "a", "o", "int", "real", "bool", "date", "uid"].contains(name)
        ? "has the tag “\(tag)” and not what belongs to it"
        : "has “\(tag)” where the tag of a type was expected")
  }

  /// What a text means that has the tag of a scalar or of data; nil if it means nothing.
  private static func scalar(_ text: String, tag: String) -> PropertyList? {
    switch tag {
    case "d": return data(text).map { .data($0) }
    case "int": return PropertyListInteger(text).map { .integer($0) }
    case "real": return Double(text).map { .real($0) }
    case "date": return date(text).map { .date($0) }
    case "uid": return UInt32(text).map { ["CF$UID": .integer(PropertyListInteger(Int64($0)))] }
    default: return nil
    }
  }

  private static func data(_ digits: String) -> [UInt8]? {
    guard digits.utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var rest = digits.utf8[...]
    while let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal) {
      bytes.append(high << 4 | low)
    }
    return 2 * bytes.count == digits.utf8.count ? bytes : nil
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8? {
    Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
  }

  /// A date as RFC 3339 has it, in UTC, or the seconds since 2001.
  private static func date(_ text: String) -> PropertyListDate? {
    guard text.isASCII else { return nil }
    let fields = text.split(separator: "T", omittingEmptySubsequences: false)
    guard fields.count == 2 else { return PropertyListDate(text: text) }
    guard fields[1].last == "Z" else { return nil }
    return PropertyListDate(text: "\(fields[0]) \(fields[1].dropLast()) +0000")
  }

  private static func error(at steps: [PropertyListPath.Step], _ reason: String) -> FormatError {
    let place = steps.isEmpty ? "the outermost value" : "“\(PropertyListPath(steps))”"
    return FormatError("is no tagged JSON: \(place) \(reason)")
  }
}
