import Foundation
import TestSupport
import Testing
import TypedDefaults
import UserDefaultsCompat

/// The changes of keys as sequences.
struct UpdatesTests {
  private let defaults = UserDefaults.inMemory()
  private let number: Defaults.Key<Int>
  private let text: Defaults.Key<String>

  init() {
    number = Defaults.Key("number", default: 0, suite: defaults)
    text = Defaults.Key("text", default: "-", suite: defaults)
  }

  @Test("nothing is missed between the call and the first element that is read")
  func nothingMissed() async {
    for initial in [true, false] {
      Defaults[number] = 0
      let updates = Defaults.updates(number, initial: initial)
      for index in 1...100 { Defaults[number] = index }
      var seen: [Int] = []
      for await value in updates {
        seen.append(value)
        if value == 100 { break }
      }
      #expect(seen == Array((initial ? 0 : 1)...100))
    }
  }

  @Test("several keys give all their values for each change of one")
  func severalKeys() async {
    let elsewhere = Defaults.Key<Bool>("flag", default: false, suite: .inMemory())
    var updates = Defaults.updates(number, text, elsewhere).makeAsyncIterator()
    Defaults[number] = 1
    Defaults[text] = "a"
    Defaults[elsewhere] = true
    var seen: [String] = []
    for _ in 0..<4 {
      guard let (number, text, flag) = await updates.next() else { break }
      seen.append("\(number) \(text) \(flag)")
    }
    #expect(seen == ["0 - false", "1 - false", "1 a false", "1 a true"])
    var later = Defaults.updates(number, text, initial: false).makeAsyncIterator()
    Defaults[text] = "b"
    #expect(await later.next().map { $0 == (1, "b") } == true)
  }

  @Test("a list of keys tells that one has changed")
  func list() async {
    var updates = Defaults.updates([number, text]).makeAsyncIterator()
    #expect(await updates.next() != nil)
    Defaults[number] = 1
    #expect(await updates.next() != nil)
    var later = Defaults.updates([number, text], initial: false).makeAsyncIterator()
    Defaults[text] = "a"
    #expect(await later.next() != nil)
  }

  @Test("the last element of several keys is never older than the last change")
  func order() async {
    let keys = (0..<2).map { Defaults.Key<Int>("k", default: $0, suite: .inMemory()) }
    for _ in 0..<20 {
      for key in keys { Defaults[key] = 0 }
      let updates = Defaults.updates(keys[0], keys[1])
      await EightThreads.run { thread in
        for index in 1...20 { Defaults[keys[thread % 2]] = index * 8 + thread }
        Defaults[keys[thread % 2]] = -1
      }
      for key in keys { Defaults[key] = -2 }
      var last = (0, 0)
      for await values in updates {
        last = values
        if values == (-2, -2) { break }
      }
      #expect(last == (-2, -2))
    }
  }

  @Test("the values are those of the object that was standard at the call")
  func standard() async {
    await UserDefaults.withStandard(defaults) {
      let (first, second) = (Defaults.Key<Int>("a", default: 0), Defaults.Key<Int>("b", default: 0))
      var one = Defaults.updates(first, initial: false).makeAsyncIterator()
      var both = Defaults.updates(first, second, initial: false).makeAsyncIterator()
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { [defaults] in
          defaults.set(7, forKey: "a")
          continuation.resume()
        }
      }
      #expect(await one.next() == 7)
      #expect(await both.next().map { $0 == (7, 0) } == true)
    }
  }

  @Test("the sequence ends with the task that reads it, and changes without propagation are not in it")
  func end() async {
    let ended = Task { [updates = Defaults.updates(number)] in for await _ in updates {} }
    ended.cancel()
    await ended.value
    var updates = Defaults.updates(number, initial: false).makeAsyncIterator()
    Defaults.withoutPropagation { Defaults[number] = 1 }
    Defaults[number] = 2
    #expect(await updates.next() == 2)
  }
}
