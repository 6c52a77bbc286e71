import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import Synchronization
import TestSupport
import Testing

@testable import DefaultsDomains

/// The table beside a dictionary of the standard library, which says what every call has to do.
struct LookupTableTests {
  private let table = LookupTable()

  private func expectToHold(_ values: [PropertyListKey: PropertyList]) {
    #expect(table.values == values)
    #expect(table.count == values.count && table.isEmpty == values.isEmpty)
    for (key, value) in values {
      #expect(table[key] == value)
      #expect(table.answer(for: key) == .some(value))
    }
  }

  /// Keys of every length at which hashing and comparing go another way, some alike but for one byte.
  private static let keys: [PropertyListKey] = {
    var texts = ["", "é", "e\u{301}", "\u{0}", "a\u{0}", "日本語のキー", String(repeating: "x", count: 300)]
    for count in 1...40 {
      let text = String((0..<count).map { Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8($0 % 26))) })
      for place in [0, count / 2, count - 1] {
        var bytes = Array(text.utf8)
        bytes[place] = UInt8(ascii: "_")
        texts.append(String(decoding: bytes, as: UTF8.self))
      }
      texts.append(text)
    }
    return Set(texts.map { PropertyListKey($0) }).sorted()
  }()

  @Test("keys are told apart by every byte, whatever their length")
  func keys() {
    var values: [PropertyListKey: PropertyList] = [:]
    for (index, key) in LookupTableTests.keys.enumerated() {
      #expect(table[key] == nil)
      #expect(table.answer(for: key) == .some(nil))
      #expect(table.set(.string("\(index)"), for: key))
      values[key] = .string("\(index)")
    }
    #expect(values.count == LookupTableTests.keys.count)
    expectToHold(values)
  }

  @Test("any sequence of changes leaves what a dictionary holds after it", arguments: 0..<20)
  func changes(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var values: [PropertyListKey: PropertyList] = [:]
    for step in 0..<2000 {
      let key = PropertyListKey("key \(Int.random(in: 0..<60, using: &random))")
      switch Int.random(in: 0..<100, using: &random) {
      case 0:
        values = [key: "alone"]
        table.replaceAll(with: values)
      case 1..<40:
        #expect(table.remove(key) == (values.removeValue(forKey: key) != nil))
      default:
        let value = PropertyList.string("\(Int.random(in: 0..<3, using: &random))")
        #expect(table.set(value, for: key) == (values[key] != value))
        values[key] = value
      }
      if step % 20 == 0 { table.checkInvariants() }
    }
    table.checkInvariants()
    expectToHold(values)
  }

  /// A text as in a file, whose values are not parsed yet.
  private func text(_ values: [PropertyListKey: PropertyList]) throws -> DictionaryText {
    let bytes = try PropertyList.dictionary(values).bytes()
    return try #require(DictionaryText(checking: bytes, options: .domainFile))
  }

  @Test(
    "any sequence of changes to a table of a text leaves what a dictionary holds after it", arguments: 0..<20)
  func changesOfText(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var values: [PropertyListKey: PropertyList] = [:]
    for step in 0..<1000 {
      let key = PropertyListKey("key \"\(Int.random(in: 0..<60, using: &random))")
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<3:
        for number in 0..<Int.random(in: 0..<80, using: &random) {
          values[PropertyListKey("key \"\(number)")] = .string("\(Int.random(in: 0..<3, using: &random))")
        }
        table.replaceAll(with: try text(values))
      case 3..<20:
        #expect(table.remove(key) == (values.removeValue(forKey: key) != nil))
      case 20..<40:
        // Without the lock the answer is right, or there is none because the value is not parsed yet.
        if let answer = table.answer(for: key) { #expect(answer == values[key]) }
        #expect(table[key] == values[key])
        #expect(table.answer(for: key) == .some(values[key]))
      case 40..<60:
        let value = PropertyList.string("\(Int.random(in: 0..<3, using: &random))")
        #expect(table.set(value, for: key) == (values[key] != value))
        values[key] = value
      default:
        #expect(table.count == values.count)
      }
      if step % 20 == 0 { table.checkInvariants() }
    }
    table.checkInvariants()
    #expect(table.values == values)
    expectToHold(values)
  }

  @Test("a key that is not in the text is known to be absent without the lock, before any value is parsed")
  func absentOfText() throws {
    table.replaceAll(with: try text(["a": "1", "b": "2"]))
    #expect(table.answer(for: "c") == .some(nil))
    #expect(table.answer(for: "a") == nil)
    #expect(table["a"] == "1")
    #expect(table.answer(for: "a") == .some("1"))
    #expect(table.remove("b"))
    #expect(table.answer(for: "b") == .some(nil))
  }

  @Test("a table of a text in which keys occur twice holds the last value of each")
  func doubleKeys() throws {
    let bytes = Array((0..<300).map { "k\($0 % 100) = \($0);" }.joined().utf8)
    table.replaceAll(
      with: try #require(
        DictionaryText(checking: Array("{".utf8) + bytes + Array("}".utf8), options: .domainFile)))
    #expect(table.count == 100)
    table.checkInvariants()
    for index in 0..<100 { #expect(table[PropertyListKey("k\(index)")] == .string("\(200 + index)")) }
  }

  /// Whether a change finds out, soon, that no reader is looking any more; other tests' readers count as well.
  private func retiredMemoryIsFreed() -> Bool {
    for _ in 0..<1_000_000 {
      _ = table.set(.array([]), for: "another")
      _ = table.remove("another")
      if table.retiredCount < 16 { return true }
    }
    return false
  }

  @Test("a whole number is read as its digits would be, up to the limits and beyond")
  func integers() throws {
    for number in [0, 1, -1, 9_999_999_999, Int.max, .min] {
      #expect(PropertyList.integer(PropertyListInteger(Int64(number))).classicInteger == number)
    }
    let largest = try #require(PropertyListInteger(exactly: UInt64.max))
    #expect(PropertyList.integer(largest).classicInteger == .max)
  }

  @Test("the contents of another table come with the entries that wait for readers, whose memory they share")
  func take() {
    let other = LookupTable(["a": "1", "b": "2"])
    other.put("3", for: "a")
    // The entry, and where other tests' readers are under way the slots before these.
    #expect(other.retiredCount >= 1)
    _ = table.set("old", for: "a")
    table.take(other)
    #expect(other.retiredCount == 0)
    #expect(other.isEmpty)
    other.checkInvariants()
    table.checkInvariants()
    #expect(table.values == ["a": "3", "b": "2"])
    for index in 0..<100 { other.put("other", for: PropertyListKey("\(index)")) }
    for index in 0..<100 { _ = table.set(.string("\(index)"), for: PropertyListKey("\(index)")) }
    for index in 0..<100 { #expect(table[PropertyListKey("\(index)")] == .string("\(index)")) }
    #expect(other.values.allSatisfy { $0.value == "other" })
    other.checkInvariants()
    table.checkInvariants()
  }

  /// Tells at its end which thread it is on.
  private final class Witness: Sendable {
    private let whenEnded: @Sendable (UInt) -> Void

    init(_ whenEnded: @escaping @Sendable (UInt) -> Void) {
      self.whenEnded = whenEnded
    }

    deinit { whenEnded(CurrentThread.identifier) }
  }

  // Sets waited for a second where the last reference to a domain of 500,000 keys went under the lock of an object.
  @Test(
    "the entries of a table that nobody has any more are freed by another thread if they are many",
    arguments: [10, 2000])
  func end(count: Int) async throws {
    // Whichever thread this test goes on with, the table is let go of by one that ends after that.
    let (own, freeing) = await withCheckedContinuation { (freed: CheckedContinuation<(UInt, UInt), Never>) in
      Thread.detachNewThread {
        let own = CurrentThread.identifier
        let table = LookupTable()
        for number in 0..<count { _ = table.set(.string("\(number)"), for: PropertyListKey("k\(number)")) }
        _ = table.set([], for: "array")
        let entry = "array".withBytes { bytes -> LookupEntry.Pointer? in
          guard case .found(let entry) = table.reference.search(for: LookupKey(bytes, seed: LookupKey.seed))
          else {
            return nil
          }
          return entry
        }
        entry?.pointee.withObject(for: .classic) { _ in
          Witness { freed.resume(returning: (own, $0)) }
        } _: { _ in
        }
      }
    }
    #expect((own == freeing) == (count == 10))
  }

  // It stayed in memory beside the new text of the file until the domain was set again several times.
  @Test("the text of a table is let go of with its last value, also where that is parsed inside a search")
  func lastValueOfText() throws {
    table.replaceAll(with: try text(["a": "1", "b": "2"]))
    let counter = ReaderCounters.shared.ofThisThread
    counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer { counter.pointee.wrappingSubtract(1, ordering: .releasing) }
    #expect(table["a"] == "1" && table["b"] == "2" && table.isParsed)
    let pieces = table.takeFreeable()
    defer { for piece in pieces { piece.free() } }
    #expect(pieces.contains { if case .text = $0 { true } else { false } })
  }

  @Test("a long key and a large value have memory of their own, and come and go like others")
  func apart() {
    let long = PropertyListKey(String(repeating: "k", count: 600))
    let text = PropertyList.string(String(repeating: "v", count: 2000))
    for round in 0..<50 {
      #expect(table.set(.string("\(round)"), for: long))
      #expect(table.set(.array([.string("\(round)")]), for: "a"))
      #expect(table.set(text, for: "b"))
      #expect(table[long] == .string("\(round)"))
      #expect(table.remove("b"))
      for piece in table.takeFreeable() { piece.free() }
    }
    table.replaceAll(with: [long: text])
    #expect(table.values == [long: text])
    table.checkInvariants()
  }

  @Test("keys that come and go without end take no more room than those that are there at one time")
  func room() {
    for index in 0..<100_000 {
      #expect(table.set("x", for: PropertyListKey("key \(index)")))
      if index >= 3 { #expect(table.remove(PropertyListKey("key \(index - 3)"))) }
    }
    #expect(table.values.count == 3)
    #expect(table.capacity <= 16)
    #expect(retiredMemoryIsFreed())
  }

  @Test("while several values are changed a reader without the lock has no answer, and then all of them")
  func together() {
    _ = table.set("old", for: "a")
    table.change(of: 101) {
      _ = table.set("new", for: "a")
      #expect(table.answer(for: "a") == nil)
      #expect(table.answer(for: "b") == nil)
      // More keys than there is room for.
      for index in 0..<100 { _ = table.set("new", for: PropertyListKey("\(index)")) }
      #expect(table.answer(for: "a") == nil)
      #expect(table["a"] == "new")
      table.checkInvariants()
    }
    table.checkInvariants()
    #expect(table.answer(for: "a") == .some("new"))
    #expect(table.answer(for: "99") == .some("new"))
  }

  // Readers waited for the writer's lock: a quarter of a second at 100,000 keys.
  @Test(
    "while many values are changed a reader without the lock finds those from before, and then all of them")
  func manyTogether() {
    let keys = (0..<400).map { PropertyListKey("key \($0)") }
    for key in keys { _ = table.set(.array(["old"]), for: key) }
    table.change(of: 1200) {
      for (index, key) in keys.enumerated() {
        if index % 2 == 0 { #expect(table.set("new", for: key)) } else { #expect(table.remove(key)) }
        #expect(table.answer(for: key) == .some(.array(["old"])))
      }
      // More keys than there is room for.
      for index in 0..<800 { #expect(table.set("new", for: PropertyListKey("\(index)"))) }
      // A value that no reader has seen is replaced.
      #expect(table.set("newest", for: "0") && table["0"] == "newest" && table["key 1"] == nil)
      #expect(keys.allSatisfy { table.answer(for: $0) == .some(.array(["old"])) })
      #expect(table.answer(for: "0") == .some(nil))
      table.checkInvariants()
    }
    table.checkInvariants()
    for (index, key) in keys.enumerated() {
      #expect(table.answer(for: key) == .some(index % 2 == 0 ? "new" : nil))
    }
    #expect(table.answer(for: "0") == .some("newest") && table.answer(for: "799") == .some("new"))
    #expect(table.values.count == 1000)
    #expect(retiredMemoryIsFreed())
  }

  @Test("readers on seven threads see all of many changes or none, without a wait")
  func manyTogetherRead() async {
    let table = table
    let keys = (0..<400).map { PropertyListKey("key number \($0)") }
    for key in keys { _ = table.set(.array(["0"]), for: key) }
    let isDone = Lock(false)
    await EightThreads.run { thread in
      guard thread == 0 else {
        var last = 0
        while !isDone.withLock({ $0 }) {
          for key in keys {
            guard case .some(.some(.array(let elements))) = table.answer(for: key),
              let round = elements.first?.classicInteger
            else {
              Issue.record("no answer for \(key)")
              return
            }
            #expect(round >= last)
            last = round
          }
        }
        return
      }
      for round in 1...100 {
        table.change(of: keys.count) {
          for key in keys { _ = table.set(.array([.string("\(round)")]), for: key) }
        }
        for piece in table.takeFreeable() { piece.free() }
      }
      isDone.withLock { $0 = true }
    }
    #expect(keys.allSatisfy { table.answer(for: $0) == .some(.array(["100"])) })
    #expect(retiredMemoryIsFreed())
    table.checkInvariants()
  }

  @Test("readers on eight threads find every key with a value that it had, while another thread changes all")
  func readers() async throws {
    let table = table
    let keys = (0..<40).map { PropertyListKey("key number \($0)") }
    for key in keys { _ = table.set("0 of a text that takes memory of its own", for: key) }
    let text = try text(Dictionary(uniqueKeysWithValues: keys.map { ($0, .array(["replaced"])) }))
    let isDone = Lock(false)
    await EightThreads.run { thread in
      if thread == 0 {
        for round in 1...400 {
          for key in keys {
            _ = table.set(.string("\(round) of a text that takes memory of its own"), for: key)
          }
          if round % 20 == 0 {
            table.replaceAll(with: text)
            for key in keys[..<20] { #expect(table[key] == .array(["replaced"])) }
          } else if round % 10 == 0 {
            table.replaceAll(with: Dictionary(uniqueKeysWithValues: keys.map { ($0, .array(["replaced"])) }))
          }
        }
        isDone.withLock { $0 = true }
      } else {
        while !isDone.withLock({ $0 }) {
          for key in keys {
            switch table.answer(for: key) {
            case .some(.some(.string(let text))): #expect(text.hasSuffix("memory of its own"))
            case .some(.some(let value)): #expect(value == .array(["replaced"]))
            // Not parsed yet; a reader with the lock would parse it.
            case nil: continue
            default: Issue.record("no value for \(key)")
            }
          }
        }
      }
    }
    #expect(retiredMemoryIsFreed())
  }

  // Only what it had replaced was released with room for that.
  @Test("a table is released on a small stack, however deep its values are", arguments: [true, false])
  func deepValues(inDictionaries: Bool) async {
    let held = Lock<LookupTable?>(
      LookupTable(["k": nested(PropertyList.maximumDepth - 1, inDictionaries: inDictionaries)]))
    let isReleased = await onThread(stack: 128 << 10) {
      held.withLock { $0 = nil }
      return true
    }
    #expect(isReleased)
  }
}

extension LookupTable {
  /// Sets a value of a domain that is never saved.
  func set(_ value: PropertyList, for key: PropertyListKey) -> Bool {
    var unsaved = UnsavedKeys()
    return set(value, for: key, noting: &unsaved)
  }
}
