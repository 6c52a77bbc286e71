import DefaultsFoundation
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import UserDefaultsCompat

/// What is set comes back equal, at once and after a save.
@Suite
struct ExactValuesTests {
  /// What each getter answers for one stored value; that its object is the same is seen by converting it back.
  private struct Answers: Equatable {
    let bool: Bool
    let integer: Int
    let float: UInt32
    let double: UInt64
    let string: String?
    let stringArray: [String]?
    let data: Data?
    let url: URL?

    init(_ value: PropertyList) {
      bool = FoundationCoding.bool(value)
      integer = FoundationCoding.integer(value)
      // Compared by their bits, for the sake of -0.0; what is not a number is all one.
      let single = FoundationCoding.float(value)
      float = (single.isNaN ? .nan : single).bitPattern
      let real = FoundationCoding.double(value)
      double = (real.isNaN ? .nan : real).bitPattern
      string = FoundationCoding.string(value)
      stringArray = FoundationCoding.stringArray(value)
      data = FoundationCoding.data(value)
      url = URLCoding.url(value)
    }
  }

  private func convert(_ object: Any) throws -> PropertyList {
    try FoundationValues.propertyList(object, path: "value")
  }

  /// What Foundation's objects can hold of a value.
  ///
  /// Of canonically equivalent keys a dictionary has the greatest only; a number made of a Float that is
  /// infinite, or no number, says on Linux that it was made of a Double.
  private func shown(_ value: PropertyList) -> PropertyList {
    switch value {
    case .array(let elements):
      return .array(elements.map(shown))
    case .dictionary(let entries):
      var kept: [String: PropertyListKey] = [:]
      for key in entries.keys { kept[key.text] = max(kept[key.text] ?? key, key) }
      let keys = Set(kept.values)
      return .dictionary(entries.filter { keys.contains($0.key) }.mapValues(shown))
    case .float(let number) where !number.isFinite:
      return .real(Double(number))
    default:
      return value
    }
  }

  @Test("random values come back as the same objects with the same answers", arguments: [UInt64(11), 12])
  func random(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<1000 {
      let value = shown(random.dictionary())
      let set = try convert(FoundationValues.object(value))
      let loaded = try PropertyList(parsing: set.bytes(), options: .domainFile)
      let back = try convert(FoundationValues.object(loaded))
      guard set == value, loaded == value, back == value else {
        Issue.record("\(value.taggedText)\n\(set.taggedText)\n\(loaded.taggedText)\n\(back.taggedText)")
        return
      }
      guard case .dictionary(let entries) = value, case .dictionary(let loadedEntries) = loaded else {
        return
      }
      for (key, entry) in entries {
        let reloaded = try #require(loadedEntries[key])
        #expect(Answers(reloaded) == Answers(entry), "\(entry.taggedText)")
      }
    }
  }

  @Test("the ends of every type come back with their type")
  func ends() throws {
    let ends: [Any] = [
      Int.min, Int.max, UInt64.max, Int8.min, true, false, -0.0, Double.leastNonzeroMagnitude,
      Double.greatestFiniteMagnitude, Double.infinity, Float.leastNonzeroMagnitude, Float(0.1),
      Date.distantPast, Date.distantFuture, Date(timeIntervalSinceReferenceDate: 0.1), Data(), "", "\0",
    ]
    let set = try convert(ends)
    let loaded = try PropertyList(parsing: PropertyList.dictionary(["k": set]).bytes(), options: .domainFile)
    #expect(loaded == ["k": set])
    guard case .dictionary(let entries) = loaded, let value = entries["k"] else { return }
    let objects = try #require(FoundationValues.object(value) as? [Any])
    #expect(objects.count == ends.count)
    #expect(objects[0] as? Int == .min)
    #expect(objects[1] as? Int == .max)
    #expect(objects[2] as? UInt64 == .max)
    #expect(objects[3] as? Int8 == .min)
    #expect(objects[4] as? NSNumber === NSNumber(value: true))
    #expect(objects[5] as? NSNumber === NSNumber(value: false))
    #expect((objects[6] as? Double)?.bitPattern == (-0.0).bitPattern)
    #expect(objects[7] as? Double == .leastNonzeroMagnitude)
    #expect(objects[8] as? Double == .greatestFiniteMagnitude)
    #expect(objects[9] as? Double == .infinity)
    #expect(objects[10] as? Float == .leastNonzeroMagnitude)
    #expect(objects[11] as? Float == 0.1)
    #expect(objects[12] as? Date == .distantPast)
    #expect(objects[13] as? Date == .distantFuture)
    #expect(objects[14] as? Date == Date(timeIntervalSinceReferenceDate: 0.1))
    #expect(objects[15] as? Data == Data())
    #expect(objects[16] as? String == "")
    #expect(objects[17] as? String == "\0")
  }
}
