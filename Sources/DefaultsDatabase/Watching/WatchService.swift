import OpenStepPropertyList

/// Waits for the system's events for all watchers of a process.
///
/// One thread and one source of events (on Linux one inotify instance, of which a user may have 128) serve
/// any number of databases; a directory on several paths is watched once. An event costs nothing for the
/// watchers of other objects. The same thread is the timer of the databases that have to be polled. The
/// looks at each of these take a tenth of the time at most, and a file system that does not answer delays no other one's.
/// Where programs cause thousands of events, the thread pauses for a tenth of a second at a time (``EventPace``).
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
  private let events: (any EventSource)?
  private let process = CurrentProcess.identifier
  private let state = Lock(State())

  private struct State {
    var isRunning = false
    /// Whether the program has closed the descriptors, whose numbers may belong to other files now.
    var isClosed = false
    var objects = [Int32: WatchedObject]()
    /// How often a watch has ended, or may have, or events were lost.
    var lossCount = 0
    /// The databases that have to be polled.
    var polling = [ObjectIdentifier: PolledDatabase]()
    /// When to see whether looks are due.
    var nextCheck = MonotonicTime.now
  }

  private struct PolledDatabase {
    let watch: DatabaseWatch
    /// Whether a look at it has been asked for that has not ended.
    var isLooking = false
    /// When the next look is due, unless one has not ended.
    var next = MonotonicTime.now + DatabaseWatcher.pollingInterval
  }

  /// The shortest time between two checks, in seconds: any number of databases wakes the thread forty times a second at
  /// most.
  private static let shortestPause = DatabaseWatcher.pollingInterval / 10

  /// Makes a service with a certain source of events; it polls where the source fails.
  init(events: () throws(SystemError) -> any EventSource) {
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
  ///
  /// No lock is held while the system looks the path up, for which a file system may take any time. Meanwhile another
  /// thread may end the watch of the same object, which has the same number, or tell that the object is gone before the
  /// subscription exists. Then the path is watched once more, to see whether it leads to the subscribed number.
  func add(
    _ place: WatchedPlace, for watch: DatabaseWatch, in group: DatabaseWatch.Group
  ) throws(SystemError) -> WatchedObject.Subscription {
    var uncertain: WatchedObject.Subscription?
    defer { if let uncertain { remove([uncertain]) } }
    for _ in 0..<100 {
      let count = state.withLock { $0.isClosed ? nil : $0.lossCount }
      guard let events, let count else { throw .tooManyOpenFiles }
      let number = try events.watch(place.path, for: place.interest)
      if let subscription = uncertain, subscription.number == number {
        uncertain = nil
        return subscription
      }
      let subscription = WatchedObject.Subscription(of: number, place: place, for: watch, in: group)
      let isCertain = state.withLock { state in
        let object = state.objects[number] ?? WatchedObject()
        state.objects[number] = object
        object.add(subscription)
        return state.lossCount == count
      }
      if isCertain { return subscription }
      if let uncertain { remove([uncertain]) }
      uncertain = subscription
    }
    throw .tooManyOpenFiles
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
    state.lossCount += 1
    if !state.isClosed { events?.unwatch(number) }
  }

  /// Starts or ends the polling of a database.
  func setPolling(_ isPolling: Bool, of watch: DatabaseWatch) {
    guard isOfThisProcess else { return }
    let (isNew, isClosed) = state.withLock { state in
      let identifier = ObjectIdentifier(watch)
      let isNew = isPolling && state.polling[identifier] == nil
      if isNew {
        let database = PolledDatabase(watch: watch)
        state.polling[identifier] = database
        state.nextCheck = min(state.nextCheck, database.next)
      } else if !isPolling {
        state.polling[identifier] = nil
      }
      return (isNew, state.isClosed)
    }
    guard isNew else { return }
    // The thread waits for longer, or has ended.
    if !isClosed { events?.wake() }
    _ = start()
  }

  // MARK: - On the thread

  private func run() {
    var pace = EventPace(at: .now)
    while let milliseconds = timeToWait() {
      guard let events, !state.withLock({ $0.isClosed }) else {
        CurrentProcess.pause(microseconds: 1000 * Int(milliseconds))
        beginLooks()
        continue
      }
      if let round = events.wait(milliseconds: milliseconds < 0 ? nil : milliseconds) {
        // A link's end may concern hundreds of links.
        let toldCount = round.events.reduce(0) { $0 + tell($1) }
        let pause = pace.pause(after: max(round.eventCount, toldCount), at: .now)
        if pause > 0 { CurrentProcess.pause(microseconds: Int(1_000_000 * pause)) }
      } else {
        close()
      }
      beginLooks()
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
      var time = state.nextCheck.seconds(since: .now)
      // Without the source of events nothing wakes the thread for a new database.
      if events == nil || state.isClosed { time = min(time, DatabaseWatcher.pollingInterval) }
      return Int32(max(1, min(1000 * time, 1e9).rounded(.up)))
    }
  }

  /// Starts the looks that are due.
  private func beginLooks() {
    let due = state.withLock { state -> [PolledDatabase] in
      let now = MonotonicTime.now
      guard state.nextCheck <= now else { return [] }
      let due = state.polling.filter { !$0.value.isLooking && $0.value.next <= now }
      for identifier in due.keys { state.polling[identifier]?.isLooking = true }
      // A look that ends meanwhile is followed by a pause of the interval at least.
      let soon = now + DatabaseWatcher.pollingInterval
      let next = state.polling.values.map { $0.isLooking ? soon : $0.next }.min() ?? soon
      state.nextCheck = max(next, now + WatchService.shortestPause)
      return Array(due.values)
    }
    for database in due { database.watch.lookAgain { [self] in endLook(at: database.watch, since: $0) } }
  }

  private func endLook(at watch: DatabaseWatch, since start: MonotonicTime) {
    state.withLock { state in
      let identifier = ObjectIdentifier(watch)
      guard state.polling[identifier]?.isLooking ?? false else { return }
      let now = MonotonicTime.now
      let pause = max(DatabaseWatcher.pollingInterval, 9 * now.seconds(since: start))
      state.polling[identifier]?.isLooking = false
      state.polling[identifier]?.next = now + pause
    }
  }

  /// Records that the descriptors are lost; every database has to be polled from now on.
  private func close() {
    let subscriptions = state.withLock { state -> [WatchedObject.Subscription] in
      state.isClosed = true
      state.lossCount += 1
      defer { state.objects = [:] }
      return state.objects.values.flatMap(\.all)
    }
    for subscription in subscriptions { subscription.watch.noteLoss(in: subscription.group) }
  }

  /// Hands an event over to those whom it concerns; gives how many these are.
  private func tell(_ event: DirectoryEvents.Event) -> Int {
    switch event {
    case .overflow:
      let all = state.withLock { state in
        state.lossCount += 1
        return state.objects.values.flatMap(\.all)
      }
      for subscription in all { subscription.watch.noteLoss(in: subscription.group) }
      return all.count
    case .gone(let number):
      let all = state.withLock { state in
        state.lossCount += 1
        return state.objects[number]?.all ?? []
      }
      for subscription in all { subscription.watch.noteLoss(in: subscription.group) }
      return all.count
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
      return concerned.count
    }
  }
}
