import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// The slots beside a dictionary of the standard library, which says what every call has to do.
final class LookupSlotsTests {
  private let memory = EntryMemory()

  deinit {
    memory.free()
  }

  /// Runs a body with a key as slots search for it.
  private func with<Result>(_ key: String, _ body: (LookupKey) -> Result) -> Result {
    key.withBytes { body(LookupKey($0, seed: LookupKey.seed)) }
  }

  private func found(_ key: String, in slots: LookupSlots) -> PropertyList? {
    with(key) { key in
      guard case .found(let entry) = slots.search(for: key) else { return nil }
      return entry.pointee.value
    }
  }

  private func expect(_ slots: LookupSlots, toHold values: [String: PropertyList], of keys: [String]) {
    slots.checkInvariants()
    for key in keys { #expect(found(key, in: slots) == values[key]) }
    var seen: [String: PropertyList] = [:]
    slots.forEachEntry { seen[LookupEntry.keyText(of: $0)] = $0.pointee.value }
    #expect(seen == values)
  }

  @Test(
    "any sequence of changes leaves what a dictionary holds, however full the slots are", arguments: 0..<20)
  func changes(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let keys = (0..<60).map { "key \($0)" }
    var slots = LookupSlots(capacity: 2)
    var values: [String: PropertyList] = [:]
    for step in 0..<1000 {
      let key = keys.randomElement(using: &random) ?? ""
      let value = PropertyList.integer(PropertyListInteger(Int64.random(in: 0..<1000, using: &random)))
      with(key) { lookupKey in
        if let slot = slots.slot(of: lookupKey, nil) {
          #expect(values[key] != nil)
          if let entry = slots.contents(of: slot).entry { LookupEntry.free(entry, in: memory) }
          if Bool.random(using: &random) {
            slots.set(.removed, in: slot)
            values[key] = nil
          } else {
            slots.set(.entry(LookupEntry.make(lookupKey, value, in: memory)), in: slot)
            values[key] = value
          }
        } else {
          #expect(values[key] == nil)
          // Up to the last slot but one, so that probes are as long as they can be.
          if slots.usedCount + 1 == slots.capacity {
            var capacity = 2
            while capacity < values.count + 2 { capacity *= 2 }
            let larger = LookupSlots(capacity: capacity)
            larger.take(slots)
            #expect(larger.usedCount == values.count)
            slots.free()
            slots = larger
          }
          slots.add(.entry(LookupEntry.make(lookupKey, value, in: memory)), for: lookupKey)
          values[key] = value
        }
      }
      if step % 20 == 0 { slots.checkInvariants() }
    }
    expect(slots, toHold: values, of: keys)
    slots.forEachEntry { LookupEntry.end($0) }
    slots.free()
  }

  @Test(
    "entries of a text get a slot for each key, also where all hashes are equal", arguments: [true, false])
  func text(hashesAreEqual: Bool) throws {
    let bytes = Array("{\((0..<200).map { "k\($0 % 50) = \($0);" }.joined())}".utf8)
    let text = try #require(DictionaryText(checking: bytes, options: .domainFile))
    let slots = LookupSlots(capacity: 64)
    slots.add(text) { hashesAreEqual ? 7 : LookupKey($0, seed: LookupKey.seed).hash }
    slots.checkInvariants()
    #expect(slots.usedCount == 50)
    var values: [PropertyListKey: PropertyList] = [:]
    slots.forEachSlot { _, contents in
      guard let start = contents.textStart else { return }
      let (key, value) = text.entry(at: start)
      values[key] = value
    }
    // The last of equal keys wins.
    #expect(
      values
        == Dictionary(
          uniqueKeysWithValues: (0..<50).map { (PropertyListKey("k\($0)"), .string("\(150 + $0)")) }))
    slots.free()
  }

  #if DEBUG
    @Test("the check stops a debug build where a search would miss a key, and where no slot would be empty")
    func damage() async {
      await #expect(processExitsWith: .failure) {
        let slots = LookupSlots(capacity: 4)
        let text = try #require(DictionaryText(checking: Array("{a=1;b=2;}".utf8), options: .domainFile))
        slots.add(text) { _ in 0 }
        slots.set(.empty, in: 0)
        slots.checkInvariants()
      }
      await #expect(processExitsWith: .failure) {
        let slots = LookupSlots(capacity: 2)
        for name in ["a", "b"] {
          name.withBytes { slots.add(.text(at: 1), for: LookupKey($0, seed: LookupKey.seed)) }
        }
      }
    }
  #endif
}
