package import OpenStepPropertyList

/// Apple's and GNUstep's XML.
package enum XMLFormat {
  static func propertyList(
    from bytes: [UInt8], ofString isOfString: Bool = false, bounds: PropertyList.Bounds,
    undoesGNUstepEscapes: Bool
  ) throws(FormatError) -> PropertyList {
    var options = PropertyList.XMLParsingOptions()
    options.bounds = bounds
    options.undoesGNUstepEscapes = undoesGNUstepEscapes
    options.isOfString = isOfString
    do throws(PropertyListError) {
      return try PropertyList(parsingXML: bytes, options: options)
    } catch {
      throw FormatError(error, in: bytes)
    }
  }

  package static func bytes(
    of value: PropertyList, style: PropertyList.XMLStyle = .apple, within maximumCount: Int = .max
  ) throws(FormatError) -> [UInt8] {
    do throws(PropertyListError) {
      return try value.xmlBytes(style: style, within: maximumCount)
    } catch {
      throw FormatError(error)
    }
  }
}
