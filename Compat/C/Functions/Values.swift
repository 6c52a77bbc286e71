import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
import GNUstepCompat
import OpenStepDefaults
import OpenStepPropertyList

/// Values of the database, and what C gets and gives for them.
enum Values {
  // MARK: - Numbers, by the rules of an object's class

  /// The truth value that a value means.
  static func bool(_ value: PropertyList, for defaults: NSUserDefaults) -> Bool {
    if defaults is GNUstepUserDefaults { return PropertyListObject.boolValue(of: value) }
    return value.scalarText.map(StringCoding.bool) ?? false
  }

  /// The whole number that a value means.
  static func integer(_ value: PropertyList, for defaults: NSUserDefaults) -> Int64 {
    if defaults is GNUstepUserDefaults { return Int64(FoundationCoding.integer(value)) }
    return Int64(value.scalarText.map(StringCoding.integer) ?? 0)
  }

  /// The number in single precision that a value means.
  static func float(_ value: PropertyList, for defaults: NSUserDefaults) -> Float {
    if defaults is GNUstepUserDefaults { return PropertyListObject.floatValue(of: value) }
    return value.scalarText.map(StringCoding.float) ?? 0
  }

  /// The number in double precision that a value means.
  static func double(_ value: PropertyList, for defaults: NSUserDefaults) -> Double {
    if defaults is GNUstepUserDefaults { return PropertyListObject.doubleValue(of: value) }
    return value.scalarText.map(StringCoding.double) ?? 0
  }

  // MARK: - Text

  /// The text of a value of an object: GNUstep's form for GNUstep's class, else this package's.
  static func text(of value: PropertyList, for defaults: NSUserDefaults) throws(Refusal) -> String {
    do throws(PropertyListError) {
      if defaults is GNUstepUserDefaults {
        // GNUstep's form has no fractions of a second.
        if let text = try? value.text(style: .gnustep) { return text }
      }
      return try value.text()
    } catch {
      throw .failed("\(error)")
    }
  }

  /// The value that a text means, as an object stores it.
  static func value(_ pointer: UnsafePointer<CChar>?, for defaults: NSUserDefaults) throws(Refusal)
    -> PropertyList
  {
    let text = try Arguments.text(pointer, "the property list")
    // The text may nest deeper than a thread of C has stack for.
    return try LargeStack.runWithStackToRelease { () throws(Refusal) in
      let value: PropertyList
      do throws(FormatError) {
        value = try DomainFileFormat.propertyList(
          from: text, textOptions: .domainFile, undoesGNUstepEscapes: defaults is GNUstepUserDefaults)
      } catch {
        throw .badArgument("the text is no property list: \(error)")
      }
      do throws(InvalidArgumentError) {
        return try defaults.stored(value)
      } catch {
        throw .badArgument(error.reason)
      }
    }
  }

  /// The entries of a dictionary's text.
  static func dictionary(
    _ pointer: UnsafePointer<CChar>?, for defaults: NSUserDefaults
  ) throws(Refusal) -> [PropertyListKey: PropertyList] {
    guard case .dictionary(let entries) = try value(pointer, for: defaults) else {
      throw .badArgument("the text is a property list, but no dictionary")
    }
    return entries
  }
}

extension NSUserDefaults {
  /// A value as this object's setters store it.
  fileprivate func stored(_ value: PropertyList) throws(InvalidArgumentError) -> PropertyList {
    guard self is GNUstepUserDefaults else { return try ClassicValues.stored(value) }
    return try PropertyList(object: value)
  }
}
