import DefaultsDatabase
import OpenStepPropertyList
import Synchronization
import TestSupport
import Testing

@testable import DefaultsDomains

/// When retired entries are freed. Each entry keeps an object, whose end shows that the entry was freed.
final class RetiredMemoryTests {
  private let memory = EntryMemory()
  private let freed = Freed()

  /// How often each entry was freed, by its number.
  private final class Freed: Sendable {
    let counts = Lock<[Int: Int]>([:])
    var count: Int { counts.withLock { $0.count } }

    /// Whether each of these entries was freed as often.
    func have(_ numbers: Range<Int>, _ times: Int?) -> Bool {
      counts.withLock { counts in numbers.allSatisfy { counts[$0] == times } }
    }
  }

  /// Counts under its number that it was let go of.
  private final class Witness: Sendable {
    private let number: Int
    private let freed: Freed

    init(_ number: Int, _ freed: Freed) {
      (self.number, self.freed) = (number, freed)
    }

    deinit { freed.counts.withLock { $0[number, default: 0] += 1 } }
  }

  deinit {
    memory.free()
  }

  /// A new entry, whose end is counted under a number.
  private func entry(_ number: Int, isLarge: Bool) -> LookupEntry.Pointer {
    let value: PropertyList = isLarge ? .array([]) : .integer(PropertyListInteger(Int64(number)))
    let entry = "key".withBytes {
      LookupEntry.make(LookupKey($0, seed: LookupKey.seed), value, in: memory)
    }
    entry.pointee.withObject(for: .classic) { [freed] _ in
      Witness(number, freed)
    } _: { _ in
    }
    return entry
  }

  /// Retires entries until everything is freed that was retired before; other tests' readers count as well.
  private func drain(_ retired: inout RetiredMemory, from number: inout Int) -> Bool {
    let before = number
    for _ in 0..<1_000_000 {
      retired.add(.entry(entry(number, isLarge: true), memory), isLarge: true)
      number += 1
      for piece in retired.takeFreeable() { piece.free() }
      if freed.have(0..<before, 1) { return true }
    }
    return false
  }

  @Test("what a reader may use is not freed until it is done, and then each entry once", arguments: 0..<10)
  func reader(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var retired = RetiredMemory()
    var number = 0
    for _ in 0..<10 {
      let counter = ReaderCounters.shared.ofThisThread
      counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
      let seen = number
      for _ in 0..<Int.random(in: 1..<100, using: &random) {
        let isLarge = Bool.random(using: &random)
        retired.add(
          .entry(entry(number, isLarge: isLarge), memory), isLarge: isLarge || Bool.random(using: &random))
        number += 1
        if Int.random(in: 0..<10, using: &random) == 0 {
          for piece in retired.takeFreeable() { piece.free() }
        }
        retired.checkInvariants()
      }
      // This thread might still use what was retired since it began to read.
      #expect(freed.have(seen..<number, nil))
      #expect(retired.count >= number - seen)
      counter.pointee.wrappingSubtract(1, ordering: .releasing)
      #expect(drain(&retired, from: &number))
    }
    retired.freeAll()
    #expect(retired.count == 0)
    #expect(freed.have(0..<number, 1))
    memory.checkInvariants()
  }

  @Test("all pieces of another owner are freed with those of the new one, each once")
  func taking() {
    var (first, second) = (RetiredMemory(), RetiredMemory())
    let counter = ReaderCounters.shared.ofThisThread
    counter.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    for number in 0..<100 {
      let entry = RetiredMemory.Piece.entry(entry(number, isLarge: number % 3 == 0), memory)
      if number % 2 == 0 {
        first.add(entry, isLarge: number % 3 == 0)
      } else {
        second.add(entry, isLarge: number % 3 == 0)
      }
    }
    first.take(&second)
    #expect(first.count == 100 && second.count == 0)
    #expect(freed.count == 0)
    second.freeAll()
    #expect(freed.count == 0)
    counter.pointee.wrappingSubtract(1, ordering: .releasing)
    first.freeAll()
    #expect(freed.count == 100 && freed.have(0..<100, 1))
  }

  @Test("a large piece that no reader uses is handed to the caller, and a small one is freed at once")
  func large() {
    var retired = RetiredMemory()
    var number = 0
    // Until no other test's reader is under way.
    while freed.count == 0, number < 1_000_000 {
      retired.add(.entry(entry(number, isLarge: false), memory), isLarge: true)
      number += 1
    }
    #expect(freed.count > 0)
    #expect(retired.takeFreeable().isEmpty)
    var pieces: [RetiredMemory.Piece] = []
    for _ in 0..<1_000_000 where pieces.isEmpty {
      retired.add(.entry(entry(number, isLarge: true), memory), isLarge: true)
      number += 1
      pieces = retired.takeFreeable()
    }
    #expect(!pieces.isEmpty)
    for piece in pieces { piece.free() }
    retired.freeAll()
    #expect(freed.have(0..<number, 1))
  }
}
