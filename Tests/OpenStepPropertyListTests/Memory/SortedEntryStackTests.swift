import Testing

@testable import OpenStepPropertyList

@Suite struct SortedEntryStackTests {
  /// Few keys are sorted in another way than many, and keys with a common beginning by what follows it.
  private static let dictionaries: [[PropertyListKey: PropertyList]] = [0, 1, 2, 16, 24, 25, 300].flatMap {
    count in
    ["", "a common beginning of some length ", "é"].map { prefix in
      let tails = ["", "\u{E000}", "😀", "tail that makes the key long"]
      return Dictionary(
        uniqueKeysWithValues: (0..<count).map { number in
          let key = prefix + String(number % 7) + String(number) + tails[number % 4]
          return (PropertyListKey(key), .integer(PropertyListInteger(Int64(number))))
        })
    }
  }

  @Test("each dictionary's entries lie in the order of its keys, above those of others")
  func order() {
    var stack = SortedEntryStack()
    var firsts: [Int] = []
    for dictionary in SortedEntryStackTests.dictionaries {
      for order in [SortedEntryStack.Order.utf8, .utf16] {
        let first = stack.count
        firsts.append(first)
        stack.push(dictionary, order: order)
        let keys = dictionary.keys.map(\.text).sorted { left, right in
          order == .utf8
            ? left.utf8.lexicographicallyPrecedes(right.utf8)
            : left.utf16.lexicographicallyPrecedes(right.utf16)
        }
        #expect((first..<stack.count).map { stack[$0].key.text } == keys)
        for position in stride(from: first, to: stack.count, by: SortedEntryStack.batch) {
          stack.fetchBatch(at: position)
        }
        #expect((first..<stack.count).allSatisfy { dictionary[stack[$0].key] == stack[$0].value })
        stack.checkInvariants(from: first, order)
      }
    }
    // The entries below have stayed.
    for (dictionary, order) in SortedEntryStackTests.dictionaries.reversed().flatMap({ [($0, 16), ($0, 8)] })
    {
      let first = firsts.removeLast()
      #expect(stack.count - first == dictionary.count)
      #expect((first..<stack.count).allSatisfy { dictionary[stack[$0].key] == stack[$0].value })
      stack.checkInvariants(from: first, order == 16 ? .utf16 : .utf8)
      stack.removeAll(from: first)
    }
    #expect(stack.count == 0)
    withExtendedLifetime(SortedEntryStackTests.dictionaries) {}
  }

  @Test("an entry that is not there stops the program")
  func outside() async {
    await #expect(processExitsWith: .failure) {
      let stack = SortedEntryStack()
      _ = stack[0]
    }
    await #expect(processExitsWith: .failure) {
      var stack = SortedEntryStack()
      stack.removeAll(from: 1)
    }
  }
}
