import Foundation
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

  @Test("a sequence that nobody reads keeps fewer elements of large values")
  func unreadLargeValues() async {
    let (one, both) = (Defaults.updates(text), Defaults.updates(number, text))
    for index in 1...100 { Defaults[text] = "\(index) " + String(repeating: "x", count: 1 << 20) }
    var ones: [Int] = []
    for await value in one {
      ones.append(Int(value.prefix { $0 != " " }) ?? 0)
      if ones.last == 100 { break }
    }
    #expect(ones.count < 65 && ones.count > 60 && ones == Array(ones[0]...100))
    var pairs: [Int] = []
    for await (_, value) in both {
      pairs.append(Int(value.prefix { $0 != " " }) ?? 0)
      if pairs.last == 100 { break }
    }
    #expect(pairs == ones)
  }

  @Test("a sequence that nobody reads keeps the newest thousand elements")
  func unread() async {
    let one = Defaults.updates(number)
    let both = Defaults.updates(number, text)
    let any = Defaults.updates([number, text])
    for index in 1...2500 { Defaults[number] = index }
    Defaults[text] = "last"
    var ones: [Int] = []
    for await value in one {
      ones.append(value)
      if value == 2500 { break }
    }
    #expect(ones == Array(1501...2500))
    var pairs: [Int] = []
    for await (number, text) in both {
      pairs.append(number)
      if text == "last" { break }
    }
    #expect(pairs == Array(1502...2500) + [2500])
    let reading = Task {
      var count = 0
      for await _ in any { count += 1 }
      return count
    }
    Defaults[text] = "one more"
    reading.cancel()
    #expect(await reading.value <= 1001)
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

  /// Text of which the first reading waits.
  private struct Slow: Defaults.Serializable {
    static let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    static let readings = Log<Void>()
    var text: String

    struct SlowBridge: Defaults.Bridge {
      func serialize(_ value: Slow?) -> String? { value?.text }

      func deserialize(_ object: String?) -> Slow? {
        readings.add(())
        if readings.all.count == 1 {
          hasBegun.signal()
          mayEnd.wait()
        }
        return object.map { Slow(text: $0) }
      }
    }
    static var bridge: SlowBridge { SlowBridge() }
  }

  // The slow thread's element came last, with a number of the time before.
  @Test("several keys that change on several threads give no element that is older than the one before")
  func order() async {
    let slow = Defaults.Key<Slow>("slow", default: Slow(text: ""), suite: .inMemory())
    var updates = Defaults.updates(number, slow, initial: false).makeAsyncIterator()
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        Defaults[slow] = Slow(text: "a")
        continuation.resume()
      }
      Thread.detachNewThread { [number] in
        Slow.hasBegun.wait()
        Defaults[number] = 5
        Slow.mayEnd.signal()
      }
    }
    Defaults[number] = 6
    for expected in [5, 6] {
      let element = await updates.next()
      #expect(element?.0 == expected && element?.1.text == "a")
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
