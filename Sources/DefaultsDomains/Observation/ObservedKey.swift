import DefaultsDatabase
import OpenStepPropertyList

/// An observed key: its observers, and the queue of changes to be delivered to them.
///
/// It is guarded by the lock of the ``KeyObservers`` to which it belongs.
final class ObservedKey: @unchecked Sendable {
  // Unchecked, because that lock is another object's, which a worker thread takes like every other.

  /// The result of the lookup when the last change was recorded.
  private var value: ObservedValue?
  /// The domain in which the last lookup found the value; nil for none.
  private(set) var source: DomainIdentity?
  /// In the order in which they were added; those that have ended are removed from time to time.
  private var observers: [Observer] = []
  private(set) var livingCount = 0
  private var priorCount = 0
  /// Whether it has been announced that the next change is about to be made.
  private var isPrepared = false

  private var announcements: [Announcement] = []
  /// The index of the first announcement in the queue; those before it have been delivered.
  private var front = 0
  private var lastNumber = 0

  /// The thread that is delivering.
  private var teller: UInt?
  /// How many nested calls of that thread deliver changes that its observers made.
  private var nesting = 0
  /// How deep such calls may nest. If other threads change a key as fast as an observer reacts to each change
  /// with a change of its own, each nested call would first deliver theirs, to which the observer reacts
  /// again, until the stack overflows. Deeper calls leave their changes to the outermost one.
  private static let maximumNesting = 16
  /// How many threads have recorded a change and are about to deliver it, before any of the program's code
  /// runs.
  private var arrivingCount = 0
  /// How long a thread delivers changes of other threads, in seconds. If these change a key faster than its observers
  /// return, the thread would never come to an end; a worker thread goes on.
  private static let patience = 0.5
  /// Stands for the worker thread that is about to go on.
  private static let successor = UInt.max
  /// How many changes wait at most; more of them become one with the last, so that the queue is bounded where threads
  /// change a key faster than its observers return.
  private static let greatestCount = 10_000

  /// An observer of the key.
  ///
  /// Sendable unchecked, because the handle of the observation only passes it back to code that holds the
  /// lock.
  final class Observer: @unchecked Sendable {
    let wantsPrior: Bool
    fileprivate let isWilling: @Sendable () -> Bool
    /// The function to call; nil if the observation has ended.
    fileprivate var handler: KeyObservers.Handler?
    /// The changes that other threads would have delivered during the initial call; nil if that is not
    /// running.
    fileprivate var beginning: Beginning?

    init(
      wantsPrior: Bool, isWilling: @escaping @Sendable () -> Bool, handler: @escaping KeyObservers.Handler
    ) {
      self.wantsPrior = wantsPrior
      self.isWilling = isWilling
      self.handler = handler
    }

    /// Takes the first change that was missed during the initial call; nil for none.
    fileprivate func takeMissed() -> KeyChange? {
      guard let beginning, beginning.taken < beginning.missed.count else { return nil }
      self.beginning?.taken += 1
      return beginning.missed[beginning.taken]
    }
  }

  fileprivate struct Beginning {
    let thread: UInt
    var missed: [KeyChange] = []
    /// The number of missed changes that have been delivered, by a nested call.
    var taken = 0
  }

  /// A change, and the observers to be notified of it.
  private struct Announcement {
    var number: Int
    var change: KeyChange
    let audience: [Observer]
    /// The thread that made the change.
    let maker: UInt
    /// The index of the next observer to be notified.
    var next = 0
  }

  /// A call to be made.
  struct Call {
    let handler: KeyObservers.Handler
    let change: KeyChange
  }

  /// The state of one thread that delivers.
  struct Telling {
    let thread: UInt
    /// Whether the thread is counted in ``arrivingCount``.
    let isExpected: Bool
    /// Whether it goes on where another thread has delivered long enough.
    let isSuccessor: Bool
    /// Whether a worker thread has to go on, with such a state.
    fileprivate(set) var needsSuccessor = false
    /// When to stop delivering changes of other threads; nil before the first of them.
    fileprivate var deadline: MonotonicTime?
    /// The number of the last announcement that was recorded before the thread came; nil before it asks for a
    /// call.
    fileprivate var last: Int?
    /// Whether this is the outermost delivery of its thread.
    fileprivate var isOutermost = false

    init(thread: UInt, isExpected: Bool, isSuccessor: Bool = false) {
      self.thread = thread
      self.isExpected = isExpected
      self.isSuccessor = isSuccessor
    }
  }

  init(_ found: FoundValue?) {
    (value, source) = (found.map { ObservedValue($0.value) }, found?.domain)
  }

  // MARK: - Observers

  /// Whether the key has no observer any more.
  var isEmpty: Bool { livingCount == 0 }

  /// Whether an observer has to be called before a change.
  var wantsPrior: Bool { priorCount > 0 }

  /// Adds an observer, which is notified of the changes that are recorded from now on.
  func add(_ observer: Observer) {
    observers.append(observer)
    livingCount += 1
    if observer.wantsPrior { priorCount += 1 }
  }

  /// Ends an observation.
  ///
  /// - Returns: Its handler, to be released outside the lock; nil if it had ended already.
  func end(_ observer: Observer) -> KeyObservers.Handler? {
    guard let handler = observer.handler else { return nil }
    observer.handler = nil
    livingCount -= 1
    if observer.wantsPrior { priorCount -= 1 }
    // At half, so that ending all of them, in any order, takes linear time.
    if livingCount <= observers.count / 2 { observers.removeAll { $0.handler == nil } }
    return handler
  }

  // MARK: - The initial call

  /// Makes the changes that other threads deliver to an observer wait while a thread makes its initial call.
  ///
  /// - Returns: The argument of that call.
  func beginInitialCall(of observer: Observer, on thread: UInt) -> KeyChange {
    observer.beginning = Beginning(thread: thread)
    return KeyChange(kind: .initial, oldValue: nil, newValue: value)
  }

  /// Puts the changes that the observer missed during its initial call at the front of the queue.
  func endInitialCall(of observer: Observer) {
    let missed = observer.beginning.map { $0.missed[$0.taken...] } ?? []
    observer.beginning = nil
    announcements.insert(
      contentsOf: missed.map { change in
        Announcement(number: 0, change: change, audience: [observer], maker: CurrentThread.identifier)
      }, at: front)
  }

  // MARK: - Recording

  /// Records the result of a lookup, and announces the change; false if no observer has to be notified.
  func noteChange(to found: FoundValue?) -> Bool {
    defer { isPrepared = false }
    source = found?.domain
    guard value?.value != found?.value else { return false }
    let new = found.map { ObservedValue($0.value) }
    let isPriorNews = notePreparation()
    let isNews = announce(KeyChange(kind: .change, oldValue: value, newValue: new), to: { _ in true })
    value = new
    return isPriorNews || isNews
  }

  /// Records the result of a lookup without announcing a change.
  func noteSilently(_ found: FoundValue?) {
    (value, source) = (found.map { ObservedValue($0.value) }, found?.domain)
  }

  /// Announces once, to the observers that want it, that the value is about to change; false if no observer
  /// has to be notified.
  func notePreparation() -> Bool {
    guard wantsPrior, !isPrepared else { return false }
    // The change will be one with the last one, which was announced to be about to be made. If it is not, because some
    // have been delivered by then, it is announced when it is recorded.
    if isFull { return false }
    isPrepared = true
    return announce(KeyChange(kind: .prior, oldValue: value, newValue: nil), to: \.wantsPrior)
  }

  private func announce(_ change: KeyChange, to isMeant: (Observer) -> Bool) -> Bool {
    let audience = observers.filter { $0.handler != nil && isMeant($0) && $0.isWilling() }
    guard !audience.isEmpty else { return false }
    lastNumber += 1
    if joinLast(change, audience) { return true }
    announcements.append(
      Announcement(
        number: lastNumber, change: change, audience: audience, maker: CurrentThread.identifier))
    return true
  }

  /// Whether so many changes wait that the next becomes one with the last, of which no observer knows yet.
  private var isFull: Bool {
    guard announcements.count - front >= ObservedKey.greatestCount, let last = announcements.last else {
      return false
    }
    return last.change.kind == .change && last.next == 0
  }

  /// Makes a change one with the last one of a long queue, if no observer knows that one yet; false if it cannot.
  private func joinLast(_ change: KeyChange, _ audience: [Observer]) -> Bool {
    guard isFull, change.kind == .change,
      announcements.last?.audience.elementsEqual(audience, by: ===) == true
    else { return false }
    announcements[announcements.count - 1].change.newValue = change.newValue
    announcements[announcements.count - 1].number = lastNumber
    return true
  }

  // MARK: - Delivering

  /// Whether a change is recorded of which an observer has not been notified.
  var hasAnnouncement: Bool { front < announcements.count }

  /// Counts a thread that is about to deliver, before any of the program's code runs.
  func expectTelling() {
    arrivingCount += 1
  }

  /// The next call that a thread has to make; nil if it has delivered all, or another thread is delivering.
  func nextCall(of telling: inout Telling) -> Call? {
    if telling.last == nil {
      telling.last = lastNumber
      if telling.isExpected { arrivingCount -= 1 }
      let isSuccessor = telling.isSuccessor && teller == ObservedKey.successor
      guard teller == nil || teller == telling.thread || isSuccessor else { return nil }
      telling.isOutermost = teller != telling.thread
      teller = telling.thread
      if !telling.isOutermost {
        guard nesting < ObservedKey.maximumNesting else { return nil }
        nesting += 1
      }
    }
    while let number = announcements[front...].first?.number {
      if isOver(&telling) {
        teller = ObservedKey.successor
        telling.needsSuccessor = true
        return nil
      }
      // The changes that were recorded before this thread came are delivered here. Later ones are left to an
      // outer call on this thread, or to a thread that is about to come. If there is neither, they are
      // delivered here too, since the threads that recorded them have left.
      if number > telling.last ?? 0, !telling.isOutermost || arrivingCount > 0 && !telling.isSuccessor {
        break
      }
      if let call = nextCallOfFront(on: telling.thread) { return call }
    }
    if telling.isOutermost { teller = nil } else { nesting -= 1 }
    return nil
  }

  /// Whether a thread has delivered changes of others long enough, and another one of them is the next.
  private func isOver(_ telling: inout Telling) -> Bool {
    guard telling.isOutermost, !telling.isSuccessor, announcements[front].maker != telling.thread else {
      return false
    }
    guard let deadline = telling.deadline else {
      telling.deadline = .now + ObservedKey.patience
      return false
    }
    return deadline < .now
  }

  /// The next call of the first announcement; nil if it has been delivered to all observers, and is removed.
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
    // At half, so that each one is moved once on average.
    guard front > announcements.count / 2 else { return }
    announcements.removeFirst(front)
    front = 0
  }
}
