import OpenStepPropertyList

/// JSON is a value or an error with a place in it, and what is written of the value reads back equal.
enum JSONCheck {
  static func check(_ bytes: [UInt8]) {
    let value: PropertyList
    do throws(PropertyListError) {
      value = try PropertyList(parsingJSON: bytes)
    } catch {
      TextCheck.check(error, of: bytes)
      return
    }
    TextCheck.checkWriting(value)
    for style in [PropertyList.JSONStyle.indented, .compact] {
      do throws(PropertyListError) {
        let written = try value.jsonBytes(style: style)
        let read = try PropertyList(parsingJSON: written)
        precondition(read == value, "\(style) reads back otherwise")
        let escaped = try value.jsonBytes(style: style) { !$0.isASCII }
        precondition(escaped.allSatisfy { $0 < 0x80 }, "an escape is missing")
        let unescaped = try PropertyList(parsingJSON: escaped)
        precondition(unescaped == value, "escapes read back otherwise")
      } catch {
        preconditionFailure("\(style) does not take a value that was read, or does not read back: \(error)")
      }
    }
  }
}
