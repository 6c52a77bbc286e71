import Testing

@testable import OpenStepPropertyList

@Suite struct UniqueStackTests {
  private final class Counter {
    var living = 0
  }

  private final class Element {
    let number: Int
    let counter: Counter

    init(_ number: Int, _ counter: Counter) {
      self.number = number
      self.counter = counter
      counter.living += 1
    }

    deinit { counter.living -= 1 }
  }

  @Test("elements come off in the other order, each let go once", arguments: [0, 1, 16])
  func order(capacity: Int) {
    let counter = Counter()
    do {
      var stack = UniqueStack<Element>(capacity: capacity)
      for number in 0..<100 { stack.push(Element(number, counter)) }
      #expect(stack.count == 100)
      #expect(counter.living == 100)
      #expect((0..<100).allSatisfy { stack[$0].number == $0 })
      #expect(stack.pop().number == 99)
      #expect(counter.living == 99)
      #expect(stack.pop(from: 90).map(\.number) == Array(90..<99))
      #expect(counter.living == 90)
      #expect(stack.pop(from: 90).isEmpty)
      stack[3] = Element(1000, counter)
      #expect(stack[3].number == 1000)
      #expect(counter.living == 90)
      stack.checkInvariants()
    }
    #expect(counter.living == 0)
  }

  @Test("a stack of equal elements has so many")
  func repeated() {
    var stack = UniqueStack<UInt32>(repeating: 7, count: 50)
    #expect(stack.pop(from: 0) == [UInt32](repeating: 7, count: 50))
    stack.checkInvariants()
  }

  @Test("an element that is not there stops the program")
  func outside() async {
    await #expect(processExitsWith: .failure) {
      var stack = UniqueStack<Int>(capacity: 16)
      _ = stack.pop()
    }
    await #expect(processExitsWith: .failure) {
      var stack = UniqueStack<Int>(capacity: 16)
      stack.push(1)
      _ = stack[1]
    }
    await #expect(processExitsWith: .failure) {
      var stack = UniqueStack<Int>(capacity: 16)
      _ = stack.pop(from: 1)
    }
  }
}
