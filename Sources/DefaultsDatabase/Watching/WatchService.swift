import OpenStepPropertyList

/// Waits for the system's events for all watchers of a process.
///
/// One thread and one source of events (on Linux one inotify instance, of which a user may have 128) serve
/// any number of databases; a directory on several paths is watched once. An event costs nothing for the
/// watchers of other objects. The same thread is the timer of the databases that have to be polled; polling
/// takes a tenth of the time at most.
final class WatchService: Sendable {
  /// The service of this process. A forked child needs its own: it inherits this one's descriptors, through
  /// which it would take its parent's events and end its parent's watches.
  static var shared: WatchService {
    current.withLock { current in
      if let service = current, service.isOfThisProcess { return service }
      let service = WatchService { () throws(SystemError) in try DirectoryEvents() }
      current = service
      return service
    }
  }

  private static let current = Lock<WatchService?>(nil)

  /// Nil where the system provides no events.
  private let events: DirectoryEvents?
  private let process = CurrentProcess.identifier
  private let state = Lock(State())

  private struct State {
    var isRunning = false
    /// Whether the program has closed the descriptors, whose numbers may belong to other files now.
    var isClosed = false
    var objects = [Int32: WatchedObject]()
    /// The databases that have to be polled.
    var polling = [ObjectIdentifier: DatabaseWatch]()
    /// How many databases are still being examined in this round, when it began, and
    /// when the next one begins.
    var lookingCount = 0
    var roundStart = MonotonicTime.now
    var nextRound = MonotonicTime.now
  }

  /// Makes a service with a certain source of events; it polls where the source fails.
  init(events: () throws(SystemError) -> DirectoryEvents) {
    do throws(SystemError) {
      self.events = try events()
    } catch {
      self.events = nil
    }
  }

  /// How many directories and links the system watches.
  var watchCount: Int { state.withLock { $0.objects.count } }

  private var isOfThisProcess: Bool { process == CurrentProcess.identifier }

  /// Starts the thread if it does not run; false where the system provides none.
  func start() -> Bool {
    state.withLock { state in
      if !state.isRunning { state.isRunning = SystemThread.start { self.run() } }
      return state.isRunning
    }
  }

  // MARK: - What to watch

  /// Watches a place; its events are reported to the watch until the subscription is removed.
  func add(
    _ place: WatchedPlace, for watch: DatabaseWatch, in group: DatabaseWatch.Group
  ) throws(SystemError) -> WatchedObject.Subscription {
    // Under the lock, so that no other thread ends the watch of the same object, which has the same number.
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

  /// Starts or ends the polling of a database.
  func setPolling(_ isPolling: Bool, of watch: DatabaseWatch) {
    guard isOfThisProcess else { return }
    let (isFirst, isClosed) = state.withLock { state in
      let wasEmpty = state.polling.isEmpty
      state.polling[ObjectIdentifier(watch)] = isPolling ? watch : nil
      return (wasEmpty && isPolling, state.isClosed)
    }
    guard isFirst else { return }
    // The thread waits without a timeout, or has ended.
    if !isClosed { events?.wake() }
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

  /// How long to wait for events, in milliseconds, negative for no limit; nil if there is nothing to wait
  /// for, so that the thread ends.
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

  /// Starts the next round of polling if it is due and the last one has ended.
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

  /// Records that the descriptors are lost; every database has to be polled from now on.
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
        // A former subscription wanted more. The object is watched anew, so that unwanted events
        // do not wake the process.
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
