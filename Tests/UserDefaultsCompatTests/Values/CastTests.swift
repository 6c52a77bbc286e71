import DefaultsFoundation
import Foundation
import OpenStepPropertyList
import Testing

@testable import UserDefaultsCompat

/// The casts of what `object(forKey:)` gives: those that succeed on Apple's systems succeed everywhere.
@Suite
struct CastTests {
  private func object(_ value: PropertyList) -> Any { FoundationValues.object(value) }

  @Test("a whole number casts to every type that holds it")
  func integers() {
    let five = object(.integer(5))
    #expect(five as? Int == 5)
    #expect(five as? Double == 5)
    #expect(five as? Float == 5)
    #expect(five as? Int8 == 5)
    #expect(five as? Int32 == 5)
    #expect(five as? Int64 == 5)
    #expect(five as? UInt == 5)
    #expect(five as? UInt8 == 5)
    #expect(five as? Bool == nil)
    #expect(five as? String == nil)
    #expect(five as? NSNumber == 5)
    #expect(five is Int)
    #expect(object(.integer(1)) as? Bool == true)
    #expect(object(.integer(0)) as? Bool == false)
    #expect(object(.integer(300)) as? UInt8 == nil)
    #expect(object(.integer(-1)) as? UInt == nil)
    #expect(object(.integer(9_007_199_254_740_993)) as? Double == nil)
    #expect(object(.integer(16_777_217)) as? Float == nil)
    #expect(object(.integer(16_777_217)) as? Double == 16_777_217)
    for limit in [Int.min, .max] {
      #expect(object(.integer(PropertyListInteger(Int64(limit)))) as? Int == limit)
    }
  }

  @Test("the largest whole number of 64 bits casts to no signed type")
  func unsigned() throws {
    let largest = object(.integer(try #require(PropertyListInteger(exactly: UInt64.max))))
    #expect(largest as? UInt64 == .max)
    #expect(largest as? UInt == .max)
    #expect(largest as? Int == nil)
    #expect((largest as? NSNumber)?.uint64Value == .max)
  }

  @Test("a real number casts to every type that holds it")
  func reals() {
    #expect(object(.real(5)) as? Int == 5)
    #expect(object(.real(5)) as? Float == 5)
    #expect(object(.real(5)) as? Bool == nil)
    #expect(object(.real(0.1)) as? Double == 0.1)
    #expect(object(.real(0.1)) as? Float == nil)
    #expect(object(.real(2.5)) as? Float == 2.5)
    #expect(object(.real(2.5)) as? Int == nil)
    #expect(object(.real(2.5)) as? String == nil)
    #expect(object(.float(0.1)) as? Float == 0.1)
    #expect(object(.float(0.1)) as? Double == 0.10000000149011612)
    #expect((object(.real(-0.0)) as? Double)?.sign == .minus)
    #expect((object(.real(.nan)) as? Double)?.isNaN == true)
    #expect(object(.real(.infinity)) as? Double == .infinity)
    #expect(object(.real(.infinity)) as? Int == nil)
    #expect(object(.real(1e300)) as? Int == nil)
    #expect(object(.real(.leastNonzeroMagnitude)) as? Double == .leastNonzeroMagnitude)
  }

  @Test("a number casts to CGFloat, alone and inside containers")
  func graphicsNumbers() {
    #expect(object(.real(1.25)) as? CGFloat == 1.25)
    #expect(object(.float(2.5)) as? CGFloat == 2.5)
    #expect(object(.integer(5)) as? CGFloat == 5)
    #expect(object(.integer(9_007_199_254_740_993)) as? CGFloat == nil)
    #expect(object(.string("5")) as? CGFloat == nil)
    #expect(object([.real(0.5), .integer(2)]) as? [CGFloat] == [0.5, 2])
    #expect(object(["Width": .real(640.5)]) as? [String: CGFloat] == ["Width": 640.5])
    func stored<Value>(_ value: PropertyList, or other: Value) -> Value { object(value) as? Value ?? other }
    #expect(stored(.real(5.5), or: CGFloat(2)) == 5.5)
    if case let number as CGFloat = object(.real(-0.0)) {
      #expect(number.sign == .minus)
    } else {
      Issue.record("no CGFloat")
    }
    let set = UserDefaultsCompat.UserDefaults.inMemory()
    set.set(CGFloat(5.5), forKey: "k")
    set.set([CGFloat(0.5), 2], forKey: "list")
    #expect(set.object(forKey: "k") as? CGFloat == 5.5)
    #expect(set.array(forKey: "list") as? [CGFloat] == [0.5, 2])
    #expect(set.double(forKey: "k") == 5.5)
  }

  @Test("a truth value casts to the numbers 1 and 0, and is one of the two shared objects")
  func truth() {
    #expect(object(.boolean(true)) as? Bool == true)
    #expect(object(.boolean(true)) as? Int == 1)
    #expect(object(.boolean(false)) as? Int == 0)
    #expect(object(.boolean(true)) as? Double == 1)
    #expect(object(.boolean(true)) as? String == nil)
    #expect(object(.boolean(true)) is Int)
    #expect(object(.boolean(true)) as? NSNumber === NSNumber(value: true))
    #expect(object(.boolean(false)) as? NSNumber === NSNumber(value: false))
    #expect(object(.integer(1)) as? NSNumber !== NSNumber(value: true))
  }

  @Test("strings, data, dates and containers cast to Foundation's classes as well")
  func classes() {
    #expect(object("a") as? String == "a")
    #expect(object("a") as? NSString == "a")
    #expect(object("5") as? NSNumber == nil)
    #expect(object("5") as? Int == nil)
    #expect(object(.data([1])) as? Data == Data([1]))
    #expect(object(.data([1])) as? NSData == NSData(data: Data([1])))
    let date = object(.date(PropertyListDate(secondsSinceReferenceDate: 0.25)))
    #expect(date as? Date == Date(timeIntervalSinceReferenceDate: 0.25))
    #expect(date as? NSDate == NSDate(timeIntervalSinceReferenceDate: 0.25))
    #expect(object([.integer(1)]) as? NSArray == [1])
    #expect(object(["a": .integer(1)]) as? NSDictionary == ["a": 1])
  }

  @Test("the elements of arrays cast, all of them or none")
  func arrays() {
    let numbers = object([.integer(1), .integer(2)])
    #expect(numbers as? [Int] == [1, 2])
    #expect(numbers as? [Double] == [1, 2])
    #expect(numbers as? [NSNumber] == [1, 2])
    #expect(numbers as? [Bool] == nil)
    #expect(numbers as? [String] == nil)
    #expect(object([.real(1.5), .real(2)]) as? [Double] == [1.5, 2])
    #expect(object([.real(1.5), .real(2)]) as? [Int] == nil)
    #expect(object(["a"]) as? [String] == ["a"])
    let elements = numbers as? [Any]
    #expect(elements?.first as? Int == 1)
    #expect(elements?.first as? Double == 1)
    #expect("\(numbers)" == "[1, 2]")
    #expect(object([[.integer(1)], [.integer(2)]]) as? [[Double]] == [[1], [2]])
  }

  @Test("the values of dictionaries cast, all of them or none")
  func dictionaries() {
    let numbers = object(["a": .integer(1)])
    #expect(numbers as? [String: Int] == ["a": 1])
    #expect(numbers as? [String: Double] == ["a": 1])
    #expect(numbers as? [String: String] == nil)
    #expect((numbers as? [String: Any])?["a"] as? Double == 1)
    #expect((numbers as? [AnyHashable: Any])?["a"] as? Int == 1)
    #expect("\(numbers)" == "[\"a\": 1]")
    let nested = object(["a": ["b": .boolean(true)]])
    #expect(nested as? [String: [String: Bool]] == ["a": ["b": true]])
  }
}
