import Foundation

/// Values as JSON text: keys sorted, so that equal values are equal texts.
enum JSONText {
  /// The numbers that JSON lacks, as the strings that the classic class reads as numbers.
  private static let names = (positive: "inf", negative: "-inf", none: "nan")

  /// Foundation's decoder refuses JSON of more nested arrays and objects.
  private static let maximumDepth = 512

  private static let tooDeep = CodingFailure("nests more than \(maximumDepth) arrays and dictionaries")

  static func text(_ value: some Encodable) throws(CodingFailure) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: names.positive, negativeInfinity: names.negative, nan: names.none)
    let text: String
    do {
      text = String(decoding: try encoder.encode(GuardedEncodable(value)), as: UTF8.self)
    } catch {
      if let failure = error as? CodingFailure { throw failure }
      // Foundation names the type that it received.
      let reason = reason(error).replacing("\(GuardedEncodable.self)", with: "\(type(of: value))")
      throw CodingFailure("cannot be encoded: \(reason)")
    }
    // What cannot be read again is refused.
    guard depth(of: text.utf8) <= maximumDepth else { throw tooDeep }
    return text
  }

  static func value<Value: Decodable>(_ text: String, as type: Value.Type) throws(CodingFailure) -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: names.positive, negativeInfinity: names.negative, nan: names.none)
    // The decoder and the program's own code read nested values by recursion.
    let depth = depth(of: text.utf8)
    guard depth <= maximumDepth else { throw tooDeep }
    try CodingStack.check(levels: depth)
    do {
      return try decoder.decode(type, from: Data(text.utf8))
    } catch {
      throw CodingFailure(
        "does not decode from “\(text.prefix(80))\(text.utf8.count > 80 ? "…" : "")”: \(reason(error))")
    }
  }

  /// The greatest nesting depth of objects and arrays in a JSON text.
  private static func depth(of text: String.UTF8View) -> Int {
    var (depth, deepest) = (0, 0)
    var (isString, isEscaped) = (false, false)
    for byte in text {
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return deepest
  }

  /// Foundation's description of an error as one sentence, with the path.
  private static func reason(_ error: any Error) -> String {
    let context: (context: DecodingError.Context, path: [any CodingKey])?
    switch error {
    case DecodingError.keyNotFound(let key, let place): context = (place, place.codingPath + [key])
    case DecodingError.typeMismatch(_, let place), DecodingError.valueNotFound(_, let place),
      DecodingError.dataCorrupted(let place):
      context = (place, place.codingPath)
    case EncodingError.invalidValue(_, let place):
      return [place.debugDescription, place.underlyingError.map { "\($0)" }].compactMap { $0 }.joined(
        separator: " ")
    default: context = nil
    }
    guard let context else { return "\(error)" }
    let path = context.path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    return (path.isEmpty ? "" : "at \(path): ") + context.context.debugDescription
  }
}
