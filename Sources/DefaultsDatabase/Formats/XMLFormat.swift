import OpenStepPropertyList

/// Apple's and GNUstep's XML.
enum XMLFormat {
  static func propertyList(from bytes: [UInt8]) throws(FormatError) -> PropertyList {
    var options = PropertyList.XMLParsingOptions()
    // Whose file it is, nobody can tell; what GNUstep escapes cannot stand in Apple's otherwise.
    options.undoesGNUstepEscapes = true
    do throws(PropertyListError) {
      return try PropertyList(parsingXML: bytes, options: options)
    } catch {
      throw FormatError(error)
    }
  }

  static func bytes(
    of value: PropertyList, style: PropertyList.XMLStyle = .apple
  ) throws(FormatError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(PropertyListError) {
      bytes = try value.xmlBytes(style: style)
    } catch {
      throw FormatError(error)
    }
    // Apple's form has no way to say that a text's own `\U001B` is no escape; GNUstep's refuses such a text.
    if style == .apple, hasBackslashU(bytes), try propertyList(from: bytes) != value {
      throw FormatError("a text has “\\U” and four digits, which would be read back as a control character")
    }
    return bytes
  }

  private static func hasBackslashU(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while let place = rest.firstIndex(of: UInt8(ascii: "\\")) {
      rest = rest[(place + 1)...]
      if rest.first == UInt8(ascii: "U") { return true }
    }
    return false
  }
}
