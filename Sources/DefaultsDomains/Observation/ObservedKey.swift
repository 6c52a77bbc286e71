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

  private var announcements = AnnouncementQueue()
  private var lastNumber = 0
  /// The containers that are used no more. They are released outside of the lock, since a large one takes long.
  private var retired: [ObservedValue] = []

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
  /// When the thread that delivers stops delivering changes of other threads; nil before the first of them.
  ///
  /// It counts for the nested calls too: each of them would begin anew with what has come meanwhile.
  private var deadline: MonotonicTime?
  /// Stands for the worker thread that is about to go on.
  private static let successor = UInt.max

  /// An observer of the key.
  ///
  /// Sendable unchecked, because the handle of the observation only passes it back to code that holds the
  /// lock.
  final class Observer: @unchecked Sendable {
    let wantsPrior: Bool
    fileprivate var isWilling: @Sendable () -> Bool
    /// The function to call; nil if the observation has ended.
    fileprivate var handler: KeyObservers.Handler?
    var hasEnded: Bool { handler == nil }
    /// The initial call; nil if it is not running.
    fileprivate var beginning: Beginning?

    init(
      wantsPrior: Bool, isWilling: @escaping @Sendable () -> Bool, handler: @escaping KeyObservers.Handler
    ) {
      self.wantsPrior = wantsPrior
      self.isWilling = isWilling
      self.handler = handler
    }
  }

  /// An initial call that is running.
  fileprivate struct Beginning {
    let thread: UInt
    /// The changes that other threads would have delivered meanwhile, without an audience.
    var missed = AnnouncementQueue()
    /// The prior call that was left out because its change was to be merged into the last missed one.
    private var prior: KeyChange?

    init(on thread: UInt) {
      self.thread = thread
    }

    mutating func miss(_ change: KeyChange) {
      if change.kind == .prior, missed.isFull {
        prior = change
        return
      }
      // The queue has become shorter meanwhile.
      if change.kind == .change, !missed.isFull { missPrior() }
      prior = nil
      missed.append(Announcement(number: 0, change: change, audience: [], maker: nil))
    }

    /// Takes the first missed change; nil for none.
    mutating func takeMissed() -> KeyChange? {
      if let change = missed.removeFirst() { return change }
      defer { prior = nil }
      return prior
    }

    /// Adds the announcement that was left out, if there is one.
    mutating func missPrior() {
      guard let prior else { return }
      missed.append(Announcement(number: 0, change: prior, audience: [], maker: nil))
      self.prior = nil
    }
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

  /// The program's closures of an observation.
  typealias Closures = (handler: KeyObservers.Handler, isWilling: @Sendable () -> Bool)

  /// Ends an observation.
  ///
  /// - Returns: Its closures, to be released outside the lock; nil if it had ended already.
  func end(_ observer: Observer) -> Closures? {
    guard let handler = observer.handler else { return nil }
    let isWilling = observer.isWilling
    observer.handler = nil
    // The observer itself may be released under the lock.
    observer.isWilling = { false }
    livingCount -= 1
    if observer.wantsPrior { priorCount -= 1 }
    // At half, so that ending all of them, in any order, takes linear time.
    if livingCount <= observers.count / 2 { observers.removeAll { $0.handler == nil } }
    return (handler, isWilling)
  }

  // MARK: - The initial call

  /// Makes the changes that other threads deliver to an observer wait while a thread makes its initial call.
  ///
  /// - Returns: The argument of that call.
  func beginInitialCall(of observer: Observer, on thread: UInt) -> KeyChange {
    observer.beginning = Beginning(on: thread)
    return KeyChange(kind: .initial, oldValue: nil, newValue: value)
  }

  /// Puts the changes that the observer missed during its initial call at the front of the queue.
  func endInitialCall(of observer: Observer) {
    observer.beginning?.missPrior()
    let missed = observer.beginning?.missed
    observer.beginning = nil
    if let missed { announcements.insert(missed, for: observer) }
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
    retire(value)
    value = new
    return isPriorNews || isNews
  }

  /// Records the result of a lookup after a change of the registration domain, which is not announced.
  ///
  /// Where the value, or the last one, lies in another domain, nothing is recorded. If it is a new one, that domain
  /// has changed, and is about to report it; recorded here, the change would be announced to nobody.
  func noteRegistered(_ found: FoundValue?, in registration: DomainIdentity) {
    guard value == nil || source == registration, found == nil || found?.domain == registration else {
      return
    }
    retire(value)
    (value, source) = (found.map { ObservedValue($0.value) }, found?.domain)
  }

  private func retire(_ value: ObservedValue?) {
    if let value, case .container = value { retired.append(value) }
  }

  /// Takes the values that are used no more, to be released outside of the lock.
  func takeRetired() -> [ObservedValue] {
    defer { if !retired.isEmpty { retired = [] } }
    return retired
  }

  /// Announces once, to the observers that want it, that the value is about to change; false if no observer
  /// has to be notified.
  func notePreparation() -> Bool {
    guard wantsPrior, !isPrepared else { return false }
    // The queue is full: the change will be merged into the last one, whose prior call is queued already. If changes have
    // been delivered by then, the prior call is added when the change is recorded.
    if announcements.isFull { return false }
    isPrepared = true
    return announce(KeyChange(kind: .prior, oldValue: value, newValue: nil), to: \.wantsPrior)
  }

  private func announce(_ change: KeyChange, to isMeant: (Observer) -> Bool) -> Bool {
    let audience = observers.filter { $0.handler != nil && isMeant($0) && $0.isWilling() }
    guard !audience.isEmpty else { return false }
    lastNumber += 1
    announcements.append(
      Announcement(
        number: lastNumber, change: change, audience: audience, maker: CurrentThread.identifier))
    return true
  }

  // MARK: - Delivering

  /// Whether a change is recorded of which an observer has not been notified.
  var hasAnnouncement: Bool { announcements.first != nil }

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
      if telling.isOutermost {
        deadline = nil
      } else {
        guard nesting < ObservedKey.maximumNesting else { return nil }
        nesting += 1
      }
    }
    while let number = announcements.first?.number {
      if isOver(telling) {
        guard telling.isOutermost else { break }
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
      if let call = nextCallOfFirst(on: telling.thread) { return call }
    }
    if telling.isOutermost { teller = nil } else { nesting -= 1 }
    return nil
  }

  /// Whether a thread has delivered changes of others long enough, and another one of them is the next.
  ///
  /// A worker thread goes on; but its calls inside an observer end as those of every thread. These leave everything to
  /// the outermost one then, since many changes of the thread's own may wait that were left before.
  private func isOver(_ telling: Telling) -> Bool {
    let isPast = deadline.map { $0 < .now } ?? false
    if isPast, !telling.isOutermost { return true }
    guard isNextOfAnother(than: telling.thread) else { return false }
    if isPast, !telling.isSuccessor { return true }
    if isPast || deadline == nil { deadline = .now + KeyObservers.patience }
    return false
  }

  /// Whether the next call is due to a change that another thread made.
  private func isNextOfAnother(than thread: UInt) -> Bool {
    if announcements.first?.maker != thread { return true }
    guard let beginning = announcements.nextObserver?.beginning else { return false }
    return beginning.thread == thread && beginning.missed.first != nil
  }

  /// The next call of the first announcement; nil if it has been delivered to all observers, and is removed.
  private func nextCallOfFirst(on thread: UInt) -> Call? {
    guard let change = announcements.first?.change else { return nil }
    while let observer = announcements.nextObserver {
      let isElsewhere = observer.beginning.map { $0.thread != thread } ?? false
      if let handler = observer.handler, !isElsewhere {
        if let missed = observer.beginning?.takeMissed() { return Call(handler: handler, change: missed) }
        announcements.passObserver()
        return Call(handler: handler, change: change)
      }
      if isElsewhere { observer.beginning?.miss(change) }
      announcements.passObserver()
    }
    announcements.removeFirst()
    retire(change.oldValue)
    retire(change.newValue)
    return nil
  }
}
