package import OpenStepPropertyList

/// Apple's binary format.
package enum BinaryFormat {
  static func propertyList(
    from bytes: [UInt8], bounds: PropertyList.Bounds
  ) throws(FormatError) -> PropertyList {
    do throws(PropertyListError) {
      return try PropertyList(parsingBinary: bytes, bounds: bounds)
    } catch {
      throw FormatError(error)
    }
  }

  /// Places in a binary file that its author probably meant differently.
  package static func warnings(from bytes: [UInt8]) throws(FormatError) -> [PropertyListWarning] {
    do throws(PropertyListError) {
      return try PropertyList.parsingWithWarnings(binary: bytes).warnings
    } catch {
      throw FormatError(error)
    }
  }

  package static func bytes(of value: PropertyList) throws(FormatError) -> [UInt8] {
    // Other programs would read a reference in place of the dictionary.
    guard value.uid == nil else {
      throw FormatError("the one key CF$UID would be read as a keyed archive's reference")
    }
    do throws(PropertyListError) {
      return try value.binaryBytes()
    } catch {
      throw FormatError(error)
    }
  }
}
