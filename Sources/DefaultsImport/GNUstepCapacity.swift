package import OpenStepPropertyList

/// The values that GNUstep's files cannot hold exactly.
package enum GNUstepCapacity {
  /// Why GNUstep's programs would see another value; nil if they see this one.
  package static func reason(against value: PropertyList) -> String? {
    var pending = [value]
    while let value = pending.popLast() {
      switch value {
      case .float:
        return "has a Float, which GNUstep's files do not tell from a Double"
      case .date(let date):
        let text = date.text
        if text.utf8.count != "0000-00-00 00:00:00 +0000".utf8.count {
          return "has the date \(text), which GNUstep's files do not hold; its programs see a string"
        }
      case .array(let elements):
        pending += elements
      case .dictionary(let entries):
        pending += entries.keys.map { .string($0.text) }
        pending += entries.values
      case .integer(let number):
        if number.exactly(as: Int64.self) == nil {
          return "has the number \(number), which GNUstep's programs take for \(Int64.max)"
        }
      case .string(let text):
        switch text.unicodeScalars.first {
        case "\u{FEFF}": return "has a text that begins with \\u{FEFF}, which GNUstep's programs leave out"
        case "\u{FFFE}":
          return
            "has a text that begins with \\u{FFFE}, for which GNUstep's programs exchange the bytes of the others"
        default: break
        }
      case .data, .real, .boolean:
        break
      }
    }
    return nil
  }
}
