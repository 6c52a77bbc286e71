import Foundation
import OpenStepPropertyList
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Observers of keys.
struct ObservationTests {
  private let home: TypedHome
  private let number: Defaults.Key<Int>
  private let text: Defaults.Key<String?>
  private let log = Log<String>()

  init() throws {
    home = try TypedHome()
    number = Defaults.Key("number", default: 0, suite: home.defaults)
    text = Defaults.Key("text", suite: home.defaults)
  }

  private func observeNumber(_ options: Defaults.ObservationOptions = []) -> some Defaults.Observation {
    Defaults.observe(number, options: options) { [log] change in
      log.add("\(change.isPrior ? "before " : "")\(change.oldValue) \(change.newValue)")
    }
  }

  @Test("every real change is told with the old and the new value, whoever made it")
  func changes() {
    let observation = observeNumber()
    Defaults[number] = 1
    Defaults[number] = 1
    home.defaults.set(2, forKey: "number")
    UserDefaults(directory: home.directory, applicationName: "App").set(3, forKey: "number")
    home.writeClassic("4", "number")
    Defaults[text] = "other"
    number.reset()
    #expect(log.all == ["0 1", "1 2", "2 3", "3 4", "4 0"])
    withExtendedLifetime(observation) {}
  }

  @Test("an observer is called at once unless it says otherwise, and before a change if it wants that")
  func options() {
    Defaults[number] = 1
    let initial = Defaults.observe(number) { [log] in log.add("\($0.newValue)") }
    #expect(log.take() == ["1"])
    initial.invalidate()
    let prior = Defaults.observe(number, options: [.prior]) { [log, number] change in
      log.add("\(change.isPrior) \(change.oldValue) \(Defaults[number])")
    }
    Defaults[number] = 2
    #expect(log.take() == ["true 1 1", "false 1 2"])
    withExtendedLifetime(prior) {}
  }

  @Test("values of an optional key are nil where there is none")
  func optional() {
    let observation = Defaults.observe(text) { [log] change in
      log.add("\(change.oldValue ?? "-") \(change.newValue ?? "-")")
    }
    Defaults[text] = "a"
    Defaults[text] = nil
    #expect(log.all == ["- -", "- a", "a -"])
    withExtendedLifetime(observation) {}
  }

  @Test("changes compare by their values")
  func equality() {
    let changes = Log<Defaults.KeyChange<Int>>()
    let observation = Defaults.observe(number, options: []) { changes.add($0) }
    for _ in 0..<2 {
      Defaults[number] = 1
      Defaults[number] = 0
    }
    #expect(changes.all[0] == changes.all[2] && changes.all[0] != changes.all[1])
    withExtendedLifetime(observation) {}
  }

  @Test("several keys of any types and suites have one observer")
  func severalKeys() {
    let elsewhere = Defaults.Key<[Int]>("list", default: [], suite: .inMemory())
    let observation = Defaults.observe(keys: number, text, elsewhere, options: []) { [log] in log.add("x") }
    Defaults[number] = 1
    Defaults[text] = "a"
    Defaults[elsewhere].append(1)
    #expect(log.take().count == 3)
    observation.invalidate()
    Defaults[number] = 2
    #expect(log.all.isEmpty)
    let initial = Defaults.observe(keys: number, text) { [log] in log.add("x") }
    #expect(log.all.count == 2)
    withExtendedLifetime(initial) {}
  }

  @Test("an observation ends when it is invalidated, and when nobody holds it")
  func end() {
    var observation: (any Defaults.Observation)? = observeNumber()
    Defaults[number] = 1
    withExtendedLifetime(observation) {}
    observation = nil
    Defaults[number] = 2
    let second = observeNumber()
    second.invalidate()
    second.invalidate()
    Defaults[number] = 3
    #expect(log.all == ["0 1"])
  }

  @Test("an observation that is tied to an object lives as long as that, held or not")
  func lifetimeTie() {
    final class Owner {}
    var owner: Owner? = Owner()
    if let owner { observeNumber().tieToLifetime(of: owner) }
    Defaults[number] = 1
    withExtendedLifetime(owner) {}
    owner = nil
    Defaults[number] = 2
    #expect(log.take() == ["0 1"])

    let next = Owner()
    var observation: (any Defaults.Observation)? = observeNumber().tieToLifetime(of: next)
    observation?.removeLifetimeTie()
    Defaults[number] = 3
    #expect(log.take() == ["2 3"])
    observation = nil
    Defaults[number] = 4
    #expect(log.take().isEmpty)

    let other = Owner()
    let tied = observeNumber().tieToLifetime(of: other)
    tied.invalidate()
    Defaults[number] = 5
    #expect(log.take().isEmpty)
    withExtendedLifetime((next, other)) {}
  }

  /// Tells when it is let go of.
  private final class Captured: Sendable {
    let end: AsyncStream<String>.Continuation

    init(_ end: AsyncStream<String>.Continuation) {
      self.end = end
    }

    deinit { end.yield("let go") }
  }

  @Test(
    "with the object of a tie the closure ends, too, and what it captured, though nothing is changed any more"
  )
  func endOfTie() async {
    final class Owner {}
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    var owners = [Owner(), Owner()]
    let held = Log<any Defaults.Observation>()
    for (index, owner) in owners.enumerated() {
      let observation = Defaults.observe(keys: number, text) { [captured = Captured(continuation)] in
        withExtendedLifetime(captured) {}
      }
      observation.tieToLifetime(of: owner)
      // Held or not.
      if index == 0 { held.add(observation) }
    }
    owners.removeAll()
    var ends = stream.makeAsyncIterator()
    #expect(await ends.next() == "let go")
    #expect(await ends.next() == "let go")
    #expect(held.all.count == 1)
  }

  @Test("an observer of several keys is called by one thread at a time, and no other waits for it")
  func severalKeysOnThreads() {
    let (isInside, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let ended = DispatchSemaphore(value: 0)
    let observation = Defaults.observe(keys: number, text, options: []) { [log, number, text] in
      log.add("\(Defaults[number]) \(Defaults[text] ?? "-") begins")
      if Defaults[text] == nil {
        isInside.signal()
        mayEnd.wait()
      }
      log.add("ends")
    }
    Thread.detachNewThread { [number] in
      Defaults[number] = 1
      ended.signal()
    }
    isInside.wait()
    Defaults[text] = "a"
    #expect(log.all == ["1 - begins"])
    mayEnd.signal()
    #expect(ended.wait(timeout: .now() + 600) == .success)
    #expect(log.all == ["1 - begins", "ends", "1 a begins", "ends"])
    withExtendedLifetime(observation) {}
  }

  @Test("a transaction inside a handler is told before it returns, key by key, with all its values")
  func nestedTransaction() {
    let inner = Defaults.observe(text) { [log, number] change in
      log.add("text \(change.newValue ?? "-") \(Defaults[number])")
    }
    let outer = Defaults.observe(number, options: [.prior]) { [log, number, text] change in
      log.add("number \(change.isPrior) \(change.oldValue)")
      guard !change.isPrior, change.newValue == 1 else { return }
      Defaults.transaction {
        Defaults[number] = 2
        Defaults[text] = "a"
      }
      log.add("made")
    }
    _ = log.take()
    Defaults[number] = 1
    #expect(
      log.all == [
        "number true 0", "number false 0", "number true 1", "number false 1", "text a 2", "made",
      ])
    withExtendedLifetime((inner, outer)) {}
  }

  @Test("changes without propagation are made and not told, from inside an observer too")
  func withoutPropagation() {
    let observation = Defaults.observe(keys: number, text, options: []) { [log, number, text] in
      log.add("\(Defaults[number]) \(Defaults[text] ?? "-")")
      Defaults.withoutPropagation { Defaults[number] += 10 }
      if Defaults[text] == nil { Defaults[text] = "a" }
    }
    Defaults[number] = 1
    #expect(log.take() == ["1 -", "11 a"])
    #expect(Defaults[number] == 21)
    Defaults.withoutPropagation { Defaults[number] = 1 }
    #expect(log.take().isEmpty)
    Defaults[number] = 2
    #expect(log.take() == ["2 a"])
    withExtendedLifetime(observation) {}
  }

  // The task inherited the closure's silence for good.
  @Test("changes by a task that is started without propagation are told")
  func withoutPropagationInTask() async {
    let observation = observeNumber()
    await withCheckedContinuation { continuation in
      Defaults.withoutPropagation {
        Defaults[number] = 1
        Task { [number] in
          Defaults[number] = 2
          continuation.resume()
        }
      }
    }
    #expect(log.all == ["1 2"])
    withExtendedLifetime(observation) {}
  }

  @Test("observers may change, observe and end observations in their calls")
  func callingBack() {
    let inner = Log<any Defaults.Observation>()
    let observation = Defaults.observe(number, options: []) { [log, number] change in
      log.add("\(change.newValue)")
      inner.add(Defaults.observe(number, options: []) { _ in })
      if change.newValue < 3 { Defaults.transaction { Defaults[number] = change.newValue + 1 } }
      for observation in inner.take() { observation.invalidate() }
    }
    Defaults[number] = 1
    #expect(log.all == ["1", "2", "3"])
    withExtendedLifetime(observation) {}
  }

  @Test("another process's changes are told without a call")
  func otherProcess() async throws {
    var values = Defaults.updates(number, initial: false).makeAsyncIterator()
    let observation = observeNumber()
    try home.writeOutside("number", .integer(1))
    #expect(await values.next() == 1)
    // Text, as a classic program writes it.
    try home.writeOutside("number", "2")
    #expect(await values.next() == 2)
    try home.writeOutside("number", nil)
    #expect(await values.next() == 0)
    await Task.yield()
    #expect(Defaults[number] == 0)
    withExtendedLifetime(observation) {}
  }
}
