import OpenStepPropertyList

/// Waits for the system's events on behalf of all watchers of a process.
///
/// One thread and one source of events (on Linux one inotify instance, of which a user may have 128) serve any number
/// of databases; a directory that several have on their way is watched once. What is told of an object costs nothing for
/// the watchers of others. The same thread counts the time for the databases that have to be looked at; their rounds take
/// a tenth of the time at most.
final class WatchService: Sendable {
  /// The service of this process. A child that it forks has one of its own: it shares the descriptors of this one, in
  /// which it would take its parent's events, and end its parent's watches.
  static var shared: WatchService {
    current.withLock { current in
      if let service = current, service.isOfThisProcess { return service }
      let service = WatchService { () throws(SystemError) in try DirectoryEvents() }
      current = service
      return service
    }
  }

  private static let current = Lock<WatchService?>(nil)

  /// Nil where the system has no events to give.
  private let events: DirectoryEvents?
  private let process = CurrentProcess.identifier
  private let state = Lock(State())

  private struct State {
    var isRunning = false
    /// Whether the program has closed the descriptors, so that others may have their numbers by now.
    var isClosed = false
    var objects: [Int32: WatchedObject] = [:]
    /// The databases that have to be looked at from time to time.
    var polling: [ObjectIdentifier: DatabaseWatch] = [:]
    /// How many of them are still being looked at in this round, when it began, and when the next is to.
    var lookingCount = 0
    var roundStart = MonotonicTime.now
    var nextRound = MonotonicTime.now
  }

  /// A service with events of a certain source, or that polls where it gives none.
  init(events: () throws(SystemError) -> DirectoryEvents) {
    do throws(SystemError) {
      self.events = try events()
    } catch {
      self.events = nil
    }
  }

  private var isOfThisProcess: Bool { process == CurrentProcess.identifier }

  /// Has the thread run; false where the system has none to give.
  func start() -> Bool {
    state.withLock { state in
      if !state.isRunning { state.isRunning = SystemThread.start { self.run() } }
      return state.isRunning
    }
  }

  // MARK: - What to watch

  /// Watches a place; whoever gets the result is told of the place's events until it gives it back.
  func add(
    _ place: WatchedPlace, for watch: DatabaseWatch, in group: DatabaseWatch.Group
  ) throws(SystemError) -> WatchedObject.Subscription {
    // Under the lock, so that nobody ends the watch of the same object, which would have the same number.
    try state.withLock { state throws(SystemError) in
      guard let events, !state.isClosed else { throw .tooManyOpenFiles }
      let number = try events.watch(place.path, for: place.interest)
      let subscription = WatchedObject.Subscription(
        of: number, place: place, for: watch, in: group)
      let object = state.objects[number] ?? WatchedObject()
      state.objects[number] = object
      object.add(subscription)
      return subscription
    }
  }

  func remove(_ subscriptions: [WatchedObject.Subscription]) {
    guard isOfThisProcess, !subscriptions.isEmpty else { return }
    state.withLock { state in
      for subscription in subscriptions {
        guard let object = state.objects[subscription.number] else { continue }
        object.remove(subscription)
        if object.isEmpty { unwatch(subscription.number, in: &state) }
      }
    }
  }

  private func unwatch(_ number: Int32, in state: inout State) {
    state.objects[number] = nil
    if !state.isClosed { events?.unwatch(number) }
  }

  /// Has a database looked at from time to time, or no longer.
  func setPolling(_ isPolling: Bool, of watch: DatabaseWatch) {
    guard isOfThisProcess else { return }
    let isFirst = state.withLock { state in
      let wasEmpty = state.polling.isEmpty
      state.polling[ObjectIdentifier(watch)] = isPolling ? watch : nil
      return wasEmpty && isPolling
    }
    guard isFirst else { return }
    // It waits without an end, or has ended.
    events?.wake()
    _ = start()
  }

  // MARK: - On the thread

  private func run() {
    while let milliseconds = timeToWait() {
      guard let events, !state.withLock({ $0.isClosed }) else {
        CurrentProcess.pause(microseconds: 1000 * Int(milliseconds))
        beginRound()
        continue
      }
      if let news = events.wait(milliseconds: milliseconds < 0 ? nil : milliseconds) {
        for event in news { tell(event) }
      } else {
        close()
      }
      beginRound()
    }
  }

  /// How long to wait for events, in milliseconds, negative for as long as it takes; nil where there is nothing to wait for,
  /// and then the thread ends.
  private func timeToWait() -> Int32? {
    state.withLock { state -> Int32? in
      if state.polling.isEmpty {
        if events != nil, !state.isClosed { return -1 }
        state.isRunning = false
        return nil
      }
      let interval = DatabaseWatcher.pollingInterval
      let time = state.lookingCount > 0 ? interval : state.nextRound.seconds(since: .now)
      return Int32(max(1, min(1000 * time, 1e9).rounded(.up)))
    }
  }

  /// Has the databases looked at that poll, if it is time and the last round is over.
  private func beginRound() {
    let watches = state.withLock { state -> [DatabaseWatch] in
      guard state.lookingCount == 0, !state.polling.isEmpty, state.nextRound <= .now else { return [] }
      state.lookingCount = state.polling.count
      state.roundStart = .now
      return Array(state.polling.values)
    }
    for watch in watches { watch.lookAgain { [self] in endLook() } }
  }

  private func endLook() {
    state.withLock { state in
      state.lookingCount -= 1
      guard state.lookingCount == 0 else { return }
      let now = MonotonicTime.now
      state.nextRound = now + max(DatabaseWatcher.pollingInterval, 9 * now.seconds(since: state.roundStart))
    }
  }

  /// Takes note that the descriptors are no longer ours; every database has to be looked at from now on.
  private func close() {
    let subscriptions = state.withLock { state -> [WatchedObject.Subscription] in
      state.isClosed = true
      defer { state.objects = [:] }
      return state.objects.values.flatMap(\.all)
    }
    for subscription in subscriptions { subscription.watch.noteLoss(in: subscription.group) }
  }

  private func tell(_ event: DirectoryEvents.Event) {
    switch event {
    case .overflow:
      let all = state.withLock { $0.objects.values.flatMap(\.all) }
      for subscription in all { subscription.watch.noteLoss(in: subscription.group) }
    case .gone(let number):
      let all = state.withLock { $0.objects[number]?.all ?? [] }
      for subscription in all { subscription.watch.noteLoss(in: subscription.group) }
    case .entry(let name, let number, let isNew):
      let (concerned, isLost) = state.withLock { state -> ([WatchedObject.Subscription], Bool) in
        guard let object = state.objects[number] else { return ([], false) }
        let concerned = object.subscriptions(concernedBy: name)
        if !concerned.isEmpty || !object.isWatchedForMore { return (concerned, false) }
        // Others watch it for less than somebody did before, and nothing that they do not want is to wake the process.
        defer { unwatch(number, in: &state) }
        return (object.all, true)
      }
      for subscription in concerned {
        if isLost {
          subscription.watch.noteLoss(in: subscription.group)
        } else {
          subscription.watch.noteEntry(name, of: subscription, isNew: isNew)
        }
      }
    }
  }
}
