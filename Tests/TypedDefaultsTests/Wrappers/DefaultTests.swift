import DefaultsDomains
import Foundation
import Observation
import OpenStepPropertyList
import TestSupport
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Properties that are defaults.
struct DefaultTests {
  private struct Editor {
    @Default var quality: Double

    init(_ key: Defaults.Key<Double>) { _quality = Default(key) }
  }

  @Observable
  fileprivate final class Settings {
    @ObservationIgnored @Default var quality: Double
    var other = 1

    init(_ key: Defaults.Key<Double>) { _quality = Default(key) }
  }

  @MainActor
  private final class Controller {
    @Default var quality: Double

    init(_ key: Defaults.Key<Double>) { _quality = Default(key) }
  }

  private let home: TypedHome
  private let key: Defaults.Key<Double>

  init() throws {
    home = try TypedHome()
    key = Defaults.Key("quality", default: 0.8, suite: home.defaults)
  }

  /// Whether the last read of what a closure reads is told of a change.
  private func track(_ read: () -> some Any, while change: () -> Void) -> Int {
    let log = Log<Void>()
    _ = withObservationTracking(read) { log.add(()) }
    change()
    return log.all.count
  }

  @Test("a property of a struct reads and sets the default, without being a variable")
  func structure() {
    let editor = Editor(key)
    #expect(editor.quality == 0.8 && editor.$quality.isDefaultValue && editor.$quality.defaultValue == 0.8)
    editor.quality = 0.5
    #expect(Defaults[key] == 0.5)
    Defaults[key] = 0.25
    #expect(editor.quality == 0.25 && !editor.$quality.isDefaultValue)
    editor.$quality.reset()
    #expect(editor.quality == 0.8)
  }

  @Test("tracking sees the read and each kind of change, once")
  func tracking() {
    let editor = Editor(key)
    let settings = Settings(key)
    for read in [{ editor.quality }, { settings.quality }] {
      #expect(track(read) { editor.quality += 1 } == 1)
      #expect(track(read) { Defaults[key] += 1 } == 1)
      #expect(track(read) { home.defaults.set(9, forKey: "quality") } == 1)
      #expect(track(read) { Defaults.transaction { Defaults[key] = 10 } } == 1)
      #expect(track(read) { Defaults.reset(key) } == 1)
      #expect(track(read) { Defaults.reset(key) } == 0)
      #expect(track(read) { home.defaults.set(9, forKey: "other") } == 0)
      #expect(track({ 1 }, while: { Defaults[key] += 1 }) == 0)
      Defaults.reset(key)
    }
    #expect(track({ settings.other }, while: { settings.quality = 3 }) == 0)
    #expect(track({ settings.other }, while: { settings.other = 3 }) == 1)
  }

  @Test("a property follows the store that counts when it is read, and tells of the changes there")
  func stores() {
    let (first, second) = (UserDefaults.inMemory(), UserDefaults.inMemory())
    let free = UserDefaults.withStandard(first) { Defaults.Key<Double>("free", default: 1) }
    let editor = Editor(free)
    for (here, there) in [(first, second), (second, first), (first, .inMemory())] {
      UserDefaults.withStandard(here) {
        let read = { editor.quality }
        #expect(track(read) { editor.quality += 1 } == 1)
        #expect(editor.quality == here[free])
        #expect(track(read) { here.set(9, forKey: "free") } == 1)
        #expect(track(read) { there[free] += 1 } == 0)
        free.reset()
      }
    }
  }

  @Test("tracking sees what another process changes")
  func outside() async throws {
    let editor = Editor(key)
    for value in [1.5, 2.5] {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        withObservationTracking {
          _ = editor.quality
        } onChange: {
          continuation.resume()
        }
        do { try home.writeOutside("quality", .real(value)) } catch { continuation.resume(throwing: error) }
      }
      while editor.quality != value { await Task.yield() }
    }
  }

  @Test("a change is told of before it is made")
  func beforeTheChange() {
    let editor = Editor(key)
    let seen = Log<Double>()
    _ = withObservationTracking({ editor.quality }, onChange: { [key] in seen.add(Defaults[key]) })
    editor.quality = 0.1
    #expect(seen.all == [0.8] && editor.quality == 0.1)
  }

  // It was told only before the change, and went on to show the old value.
  @Test("who reads the old value again, because it was told of the change before, is told once more")
  func readTooEarly() {
    let editor = Editor(key)
    let seen = Log<Double>()
    _ = withObservationTracking {
      editor.quality
    } onChange: { [key] in
      seen.add(Defaults[key])
      _ = withObservationTracking({ editor.quality }, onChange: { seen.add(Defaults[key]) })
    }
    Defaults[key] = 0.1
    #expect(seen.all == [0.8, 0.1])
  }

  // It was called inside, where others' updates wait, and a commit in it was refused.
  @Test("tracking is told of an update when it has ended", arguments: [false, true])
  func afterTheUpdate(isTransaction: Bool) {
    let editor = Editor(key)
    let seen = Log<Bool>()
    _ = withObservationTracking({ editor.quality }, onChange: { seen.add(UpdateLock.shared.isHeld) })
    if isTransaction {
      Defaults.transaction { Defaults[key] = 0.1 }
    } else {
      Defaults.modify(key) { $0 = 0.1 }
    }
    #expect(seen.all == [false] && editor.quality == 0.1)
  }

  @Test("a property gives its changes as a sequence")
  func updates() async {
    let editor = Editor(key)
    var updates = editor.$quality.updates().makeAsyncIterator()
    editor.quality = 0.5
    #expect(await updates.next() == 0.8)
    #expect(await updates.next() == 0.5)
    var later = editor.$quality.updates(initial: false).makeAsyncIterator()
    editor.quality = 0.6
    #expect(await later.next() == 0.6)
  }

  @Test("a property works on the main actor")
  func mainActor() async {
    let key = key
    await MainActor.run {
      let controller = Controller(key)
      controller.quality += 0.1
      #expect(controller.quality == 0.8 + 0.1)
    }
  }

  @Test("reading a property in ten times as many stores takes ten times as long")
  func manyStores() {
    let growth = growth(from: 500, to: 5000, bound: 40) { count in
      let stores = (0..<count).map { _ in UserDefaults.inMemory() }
      let editor = Editor(UserDefaults.withStandard(stores[0]) { Defaults.Key("free", default: 1) })
      let start = threadTime()
      for store in stores + stores {
        let value = UserDefaults.withStandard(store) { editor.quality }
        if value != 1 { Issue.record("\(value)") }
      }
      return threadTime() - start
    }
    #expect(growth < 40, "\(growth)")
  }
}
