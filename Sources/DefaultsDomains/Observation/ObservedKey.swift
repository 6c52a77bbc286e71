import OpenStepPropertyList

/// A key that is observed: its observers, and what they are still to be told, in order.
///
/// Everything here is guarded by the lock of the ``KeyObservers`` to which it belongs.
final class ObservedKey {
  /// What a lookup found when a change was noted last.
  private var value: PropertyList?
  /// In the order in which they came; those that have ended are sorted out from time to time.
  private var observers: [Observer] = []
  private(set) var livingCount = 0
  private var priorCount = 0
  /// Whether the next change was announced.
  private var isPrepared = false

  private var announcements: [Announcement] = []
  /// The index of the first that is not told to all.
  private var front = 0
  private var lastNumber = 0

  /// The thread that is telling.
  private var teller: UInt?
  /// How many calls of the thread that is telling tell from inside an observer, each from inside the one before.
  private var nesting = 0
  /// How deep calls may nest. Where other threads change a key as fast as an observer answers each change by one of its
  /// own, each answer would first have theirs told, which is answered again, until the stack ends; deeper calls leave
  /// theirs to the outermost.
  private static let maximumNesting = 16
  /// How many threads have noted a change and are about to tell it, with none of the program's code to run before.
  private var arrivingCount = 0

  /// One who is told.
  ///
  /// Sendable unchecked, because the handle of the observation only carries it back to the lock.
  final class Observer: @unchecked Sendable {
    let wantsPrior: Bool
    fileprivate let isWilling: @Sendable () -> Bool
    /// What to call; nil when the observation has ended.
    fileprivate var handler: KeyObservers.Handler?
    /// While the initial call runs on a thread, what other threads had to tell meanwhile.
    fileprivate var beginning: Beginning?

    init(
      wantsPrior: Bool, isWilling: @escaping @Sendable () -> Bool, handler: @escaping KeyObservers.Handler
    ) {
      self.wantsPrior = wantsPrior
      self.isWilling = isWilling
      self.handler = handler
    }

    /// The first change that was missed during the initial call; nil for none.
    fileprivate func takeMissed() -> KeyChange? {
      guard beginning?.missed.isEmpty == false else { return nil }
      return beginning?.missed.removeFirst()
    }
  }

  fileprivate struct Beginning {
    let thread: UInt
    var missed: [KeyChange] = []
  }

  /// A change, and those who are told of it.
  private struct Announcement {
    let number: Int
    let change: KeyChange
    let audience: [Observer]
    /// The index of the next observer to be told.
    var next = 0
  }

  /// A call to make.
  struct Call {
    let handler: KeyObservers.Handler
    let change: KeyChange
  }

  /// One thread's effort to tell what it has noted.
  struct Telling {
    let thread: UInt
    /// Whether it is one of the threads that are counted as about to come.
    let isExpected: Bool
    /// The last announcement that it has to wait for; nil at first.
    fileprivate var last: Int?
    /// Whether this is the outermost one of its thread.
    fileprivate var isOutermost = false

    init(thread: UInt, isExpected: Bool) {
      self.thread = thread
      self.isExpected = isExpected
    }
  }

  init(value: PropertyList?) {
    self.value = value
  }

  // MARK: - Observers

  /// Whether nobody observes the key any more.
  var isEmpty: Bool { livingCount == 0 }

  /// Whether an observer wants to know of a change before it is made.
  var wantsPrior: Bool { priorCount > 0 }

  /// Adds an observer, which is told of the changes that are noted from now on.
  func add(_ observer: Observer) {
    observers.append(observer)
    livingCount += 1
    if observer.wantsPrior { priorCount += 1 }
  }

  /// Ends an observation.
  ///
  /// - Returns: Its handler, which is to be let go of outside the lock; nil where it had ended.
  func end(_ observer: Observer) -> KeyObservers.Handler? {
    guard let handler = observer.handler else { return nil }
    observer.handler = nil
    livingCount -= 1
    if observer.wantsPrior { priorCount -= 1 }
    // At half, so that the end of all of them, in any order, takes time in proportion to their number.
    if livingCount <= observers.count / 2 { observers.removeAll { $0.handler == nil } }
    return handler
  }

  // MARK: - An initial call

  /// Has what other threads have to tell an observer wait while a thread makes its initial call.
  ///
  /// - Returns: The change to call it with.
  func beginInitialCall(of observer: Observer, on thread: UInt) -> KeyChange {
    observer.beginning = Beginning(thread: thread)
    return KeyChange(kind: .initial, old: nil, new: value)
  }

  /// Has what the observer missed during its initial call told before everything else.
  func endInitialCall(of observer: Observer) {
    let missed = observer.beginning?.missed ?? []
    observer.beginning = nil
    announcements.insert(
      contentsOf: missed.map { Announcement(number: 0, change: $0, audience: [observer]) }, at: front)
  }

  // MARK: - Noting

  /// Has the observers told that a lookup finds a value now; false where that is no news.
  func noteChange(to new: PropertyList?) -> Bool {
    defer { isPrepared = false }
    guard value != new else { return false }
    let isPriorNews = notePreparation()
    let isNews = announce(KeyChange(kind: .change, old: value, new: new), to: { _ in true })
    value = new
    return isPriorNews || isNews
  }

  /// Takes a value for the one that a lookup found, without telling anyone.
  func noteSilently(_ new: PropertyList?) {
    value = new
  }

  /// Has those observers told that the key is about to change who want to know, once; false where that is no news.
  func notePreparation() -> Bool {
    guard wantsPrior, !isPrepared else { return false }
    isPrepared = true
    return announce(KeyChange(kind: .prior, old: value, new: nil), to: \.wantsPrior)
  }

  private func announce(_ change: KeyChange, to isMeant: (Observer) -> Bool) -> Bool {
    let audience = observers.filter { $0.handler != nil && isMeant($0) && $0.isWilling() }
    guard !audience.isEmpty else { return false }
    lastNumber += 1
    announcements.append(Announcement(number: lastNumber, change: change, audience: audience))
    return true
  }

  // MARK: - Telling

  /// Notes that a thread will tell as soon as it can, with none of the program's code to run before.
  func expectTelling() {
    arrivingCount += 1
  }

  /// The next call that a thread is to make; nil when it has nothing more to tell, or another thread is telling.
  func nextCall(of telling: inout Telling) -> Call? {
    if telling.last == nil {
      telling.last = lastNumber
      if telling.isExpected { arrivingCount -= 1 }
      guard teller == nil || teller == telling.thread else { return nil }
      telling.isOutermost = teller == nil
      teller = telling.thread
      if !telling.isOutermost {
        guard nesting < ObservedKey.maximumNesting else { return nil }
        nesting += 1
      }
    }
    while let number = announcements[front...].first?.number {
      // All that was noted before this thread came is told. Of what came later, a call further out on this thread
      // goes on with it, or a thread that is on its way; else it is for this one, since whoever noted it is gone.
      if number > telling.last ?? 0, !telling.isOutermost || arrivingCount > 0 { break }
      if let call = nextCallOfFront(on: telling.thread) { return call }
    }
    if telling.isOutermost { teller = nil } else { nesting -= 1 }
    return nil
  }

  /// The next call of the first announcement; nil when that is told to all, and taken away.
  private func nextCallOfFront(on thread: UInt) -> Call? {
    let change = announcements[front].change
    while announcements[front].next < announcements[front].audience.count {
      let observer = announcements[front].audience[announcements[front].next]
      let isElsewhere = observer.beginning.map { $0.thread != thread } ?? false
      if let handler = observer.handler, !isElsewhere {
        if let missed = observer.takeMissed() { return Call(handler: handler, change: missed) }
        announcements[front].next += 1
        return Call(handler: handler, change: change)
      }
      if isElsewhere { observer.beginning?.missed.append(change) }
      announcements[front].next += 1
    }
    removeFront()
    return nil
  }

  private func removeFront() {
    front += 1
    // At half, so that each is moved once on average.
    guard front > announcements.count / 2 else { return }
    announcements.removeFirst(front)
    front = 0
  }
}
