import DefaultsFoundation
package import Foundation
package import OpenStepPropertyList

/// A Swift type that is stored as one scalar.
///
/// A number is of every type that holds it exactly, and so are the truth values as 1 and 0, like casts from
/// `NSNumber`. A string, the only type of the classic class and the command line, is also a number, a truth
/// value or a date if the whole string reads as one.
package protocol StoredScalar {
  /// Converts a stored value, if it is of this type or converts to it exactly; else nil.
  init?(stored: PropertyList)

  /// The value to store.
  var stored: PropertyList { get }
}

extension Bool: StoredScalar {
  package init?(stored: PropertyList) {
    switch stored {
    case .boolean(let value): self = value
    case .integer(0), .real(0), .float(0): self = false
    case .integer(1), .real(1), .float(1): self = true
    case .string(let text):
      // Of a longer text the comparison could take long: it grows with the square of combining marks.
      guard text.utf8.count <= 5 else { return nil }
      switch text.lowercased() {
      case "yes", "true", "1": self = true
      case "no", "false", "0": self = false
      default: return nil
      }
    default: return nil
    }
  }

  package var stored: PropertyList { .boolean(self) }
}

// MARK: - Whole numbers

extension StoredScalar where Self: FixedWidthInteger {
  package init?(stored: PropertyList) {
    switch stored {
    case .integer(let value):
      guard let value: Self = value.exactly() else { return nil }
      self = value
    case .real(let value): self.init(exactly: value)
    case .float(let value): self.init(exactly: value)
    case .boolean(let value): self = value ? 1 : 0
    case .string(let text): self.init(text)
    case .data, .array, .dictionary, .date: return nil
    }
  }

  package var stored: PropertyList {
    // None of the types below has more than 64 bits.
    .integer(PropertyListInteger(exactly: self) ?? 0)
  }
}

extension Int: StoredScalar {}
extension Int8: StoredScalar {}
extension Int16: StoredScalar {}
extension Int32: StoredScalar {}
extension Int64: StoredScalar {}
extension UInt: StoredScalar {}
extension UInt8: StoredScalar {}
extension UInt16: StoredScalar {}
extension UInt32: StoredScalar {}
extension UInt64: StoredScalar {}

// MARK: - Other numbers

extension Double: StoredScalar {
  package init?(stored: PropertyList) {
    switch stored {
    case .real(let value): self = value
    case .float(let value): self.init(value)
    case .integer(let value):
      guard
        let value = value.exactly(as: Int64.self).map({ Double(exactly: $0) })
          ?? value.exactly(as: UInt64.self).map({ Double(exactly: $0) }), let value
      else { return nil }
      self = value
    case .boolean(let value): self = value ? 1 : 0
    case .string(let text): self.init(text)
    case .data, .array, .dictionary, .date: return nil
    }
  }

  package var stored: PropertyList { .real(withOrdinaryNaN) }
}

extension Float: StoredScalar {
  package init?(stored: PropertyList) {
    switch stored {
    case .float(let value): self = value
    case .string(let text): self.init(text)
    default:
      guard let value = Double(stored: stored) else { return nil }
      self.init(value)
      guard Double(self) == value || value.isNaN else { return nil }
    }
  }

  package var stored: PropertyList { .float(withOrdinaryNaN) }
}

extension CGFloat: StoredScalar {
  package init?(stored: PropertyList) {
    guard let value = Double(stored: stored) else { return nil }
    self.init(value)
  }

  package var stored: PropertyList { Double(self).stored }
}

// MARK: - Others

extension String: StoredScalar {
  package init?(stored: PropertyList) {
    guard case .string(let text) = stored else { return nil }
    self = text
  }

  package var stored: PropertyList { .string(self) }
}

extension Data: StoredScalar {
  package init?(stored: PropertyList) {
    guard case .data(let bytes) = stored else { return nil }
    self.init(bytes)
  }

  package var stored: PropertyList { .data([UInt8](self)) }
}

extension Date: StoredScalar {
  package init?(stored: PropertyList) {
    switch stored {
    case .date(let date): self.init(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate)
    case .string(let text):
      guard let date = PropertyListDate(text: text) else { return nil }
      self.init(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate)
    default: return nil
    }
  }

  package var stored: PropertyList {
    .date(PropertyListDate(secondsSinceReferenceDate: timeIntervalSinceReferenceDate))
  }
}

extension URL: StoredScalar {
  package init?(stored: PropertyList) {
    guard let url = URLCoding.url(stored) else { return nil }
    self = url
  }

  package var stored: PropertyList { URLCoding.propertyList(self) }
}
