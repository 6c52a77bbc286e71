import Foundation
import OpenStepDefaults
import Testing

/// What ported code asks of an object, apart from what the comparison with GNUstep itself covers.
@Suite
struct PropertyListObjectTests {
  @Test("nil, containers and what is no property list answer like nil")
  func nothing() {
    let empty: String? = nil
    let objects: [Any?] = [nil, empty as Any, Data([1]), Date(), [1], ["a": 1], NSNull(), Thread.current]
    for object in objects {
      let value = PropertyListObject(object)
      #expect(value.intValue == 0 && value.integerValue == 0)
      #expect(value.floatValue == 0 && value.doubleValue == 0)
      #expect(!value.boolValue && value.stringValue == nil)
    }
  }

  @Test("optionals, AnyHashable and property lists are looked into")
  func wrapped() {
    let five: [Any?] = [5, Optional(5) as Any, AnyHashable(5), PropertyList.integer(5), NSNumber(value: 5)]
    for object in five {
      #expect(PropertyListObject(object).intValue == 5 && PropertyListObject(object).stringValue == "5")
    }
  }

  @Test("numbers beyond a type's range give its nearest limit, where a C conversion has no defined result")
  func limits() {
    #expect(PropertyListObject(1e10).intValue == .max && PropertyListObject(-1e10).intValue == .min)
    #expect(PropertyListObject(1e19).integerValue == .max && PropertyListObject(-1e19).integerValue == .min)
    #expect(PropertyListObject(Double.nan).integerValue == 0 && PropertyListObject(Float.nan).intValue == 0)
    #expect(PropertyListObject(UInt64.max).integerValue == .max)
  }

  @Test("a string of many digits is the number that it says, and the smallest numbers are not 0")
  func digits() {
    #expect(PropertyListObject("1234567890123456789").doubleValue == 0x1.12210f47de981p+60)
    #expect(PropertyListObject("5e-324").doubleValue == .leastNonzeroMagnitude)
  }

  @Test("equal are numbers of all types, and a number and its digits")
  func equal() {
    let groups: [[Any]] = [
      [5, "5", 5.0, UInt8(5), Float(5), Decimal(5), NSNumber(value: 5)], [1, true, "1", 1.0],
      [0, false, "0", -0.0], [0.1, "0.1", NSNumber(value: 0.1)], [1e16, "10000000000000000"],
      [UInt64.max, "18446744073709551615"], [[1, "a"] as [Any], ["1", "a"]],
      [["k": [2.5, true] as [Any]], ["k": ["2.5", 1] as [Any]]], ["text", Substring("text")],
      [Data([1]), NSData(data: Data([1]))],
    ]
    for group in groups {
      for first in group {
        for second in group {
          #expect(PropertyListObject(first).isEqual(second), "\(first) \(second)")
          #expect(PropertyListObject(first) == PropertyListObject(second), "\(first) \(second)")
        }
        #expect(!PropertyListObject(first).isEqual(nil) && !PropertyListObject(nil).isEqual(first))
      }
    }
  }

  @Test("different values, other spellings of a number and other bytes of a text are not equal")
  func different() {
    let objects: [Any] = [
      "5", " 5", "+5", "5.0", "05", "YES", true, 0, "", Data(), [Any](), [String: Any](), ["5"], ["5", "5"],
      "\u{E9}", "e\u{301}", (1 << 53) + 1, 0x1p53, Float(0.1), 0.1, Date.distantPast,
      "1e+16", 1e16,
    ]
    for (index, first) in objects.enumerated() {
      for second in objects[(index + 1)...] {
        #expect(!PropertyListObject(first).isEqual(second), "\(first) \(second)")
      }
    }
    #expect(PropertyListObject(nil) == PropertyListObject(nil))
    #expect(!PropertyListObject(Thread.current).isEqual(nil))
  }

  @Test("what objectForKey gives answers, whatever it is")
  func defaults() {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
    defaults.registerDefaults(["Columns": 80, "Window": ["Zoom": 1.5]])
    #expect(PropertyListObject(defaults.objectForKey("Columns")).integerValue == 80)
    #expect(PropertyListObject(defaults.dictionaryForKey("Window")?["Zoom"]).doubleValue == 1.5)
    #expect(PropertyListObject(defaults.propertyListForKey("Columns")).isEqual(80))
    #expect(PropertyListObject(defaults.objectForKey("none")).intValue == 0)
  }
}
