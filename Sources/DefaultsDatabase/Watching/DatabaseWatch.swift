import OpenStepPropertyList

/// The places that one watcher watches, and the changes that it has not reported yet.
///
/// The service's thread records events. A worker thread renews the watches and reports the changes, one
/// at a time for each watch, and ends where the next look has to wait (``WatchPauses``).
final class DatabaseWatch: Sendable {
  /// Places that are found, watched and renewed together.
  enum Group: Hashable, Sendable {
    /// The database's directory and the path to it.
    case directory
    /// The path behind a symbolic link in place of a file, by the file's name.
    case link(PropertyListKey)
  }

  /// Called after a look, with the time when it began.
  typealias WhenTold = @Sendable (_ start: MonotonicTime) -> Void

  private let directory: DatabaseDirectory
  private let service: WatchService
  private let followed: @Sendable () -> [DomainName]?
  private let onChange: @Sendable (Set<DomainName>?) -> Void
  private let state = Lock(State())
  /// The watched places; only one worker at a time changes them.
  private let watched = Lock(Watched())
  /// Only one worker at a time uses it.
  private let schedule = Lock(LookSchedule())

  private struct State {
    var news = WatchNews()
    /// Whether a worker is about to take the news, or reports it now, or there is a pause before that.
    var isScheduled = false
    /// When the pause ends before which no worker takes the news; nil for no pause.
    var pauseEnd: MonotonicTime?
    /// Whether news of another file ends the pause.
    var endsWithNews = false
    var isStopped = false
    /// Whether the system would not report every change, or everything has to be looked at again.
    var isPolling = false
    /// Whether a look has failed, or places could not be found out, which a look at everything may mend.
    var needsLookAtEverything = false
    /// Called when the present news has been reported.
    var whenTold: [WhenTold] = []
  }

  private struct Watched {
    /// The directory's path after all links; nil if it does not exist.
    var path: String?
    var groups = [Group: WatchedGroup]()
    /// How many subscriptions the groups of links have.
    var linkSubscriptionCount = 0
  }

  /// How many places behind links are watched; the others are polled.
  ///
  /// The system bounds the watches of all processes of a user together, and whoever owns the directory can make any
  /// number of links, also while the administrator watches it.
  private static let maximumLinkPlaceCount = 1024

  /// How many components of the paths behind links are looked at each time; the other links are polled.
  private static let maximumLinkStepCount = 10 * WatchedPlace.maximumStepCount

  private struct WatchedGroup {
    /// None if there are too many to be watched: the memory of their paths has no other bound.
    var places: [WatchedPlace] = []
    var subscriptions: [WatchedObject.Subscription] = []
    /// Whether the system will report every change.
    var isComplete = true
  }

  init(
    of directory: DatabaseDirectory, by service: WatchService,
    following followed: @escaping @Sendable () -> [DomainName]?,
    onChange: @escaping @Sendable (Set<DomainName>?) -> Void
  ) {
    (self.directory, self.service, self.followed, self.onChange) = (directory, service, followed, onChange)
  }

  var isPolling: Bool { state.withLock { $0.isPolling } }

  // MARK: - From any thread

  func begin() {
    note { $0.isEverything = true }
  }

  func stop() {
    let (isIdle, isPause) = state.withLock { state in
      state.isStopped = true
      defer { state.pauseEnd = nil }
      return (!state.isScheduled, state.pauseEnd != nil)
    }
    // Otherwise the worker does it.
    if isIdle { end() }
    if isPause {
      WatchPauses.shared.remove(self)
      WorkerThreads.shared.run { self.work() }
    }
  }

  private func end() {
    service.setPolling(false, of: self)
    let groups = watched.withLock { watched in
      defer { watched.groups = [:] }
      return watched.groups
    }
    for group in groups.values { service.remove(group.subscriptions) }
  }

  /// Follows a symbolic link in place of a domain's file, if there is one.
  func follow(_ name: DomainName) {
    for file in DomainFile.names(of: name, in: directory) {
      switch isLink(file) {
      case true?: note { $0.add(PropertyListKey(file), madeAt: nil) }
      case false?: break
      case nil: lookAgainSoon()
      }
    }
  }

  /// Whether a file is a symbolic link; nil if that cannot be found out now.
  private func isLink(_ file: String) -> Bool? {
    directory.looking(or: nil) {
      do throws(SystemError) {
        return try directory.fileSystem.status(at: directory.path(of: file), followingLinks: false).kind
          == .symbolicLink
      } catch {
        return error == .notFound || error == .notADirectory ? false : nil
      }
    }
  }

  /// Reports that anything may have changed, after all places were watched anew; this may now
  /// succeed where it failed.
  func lookAgain(_ whenTold: @escaping WhenTold) {
    state.withLock { $0.whenTold.append(whenTold) }
    note { news in
      news.isEverything = true
      news.isLost = true
    }
  }

  /// Polls the database until the next look at everything, which may call this again.
  func lookAgainSoon() {
    let isStopped = state.withLock { state in
      (state.needsLookAtEverything, state.isPolling) = (true, true)
      return state.isStopped
    }
    if !isStopped { service.setPolling(true, of: self) }
  }

  /// Records that a place of a group is gone, or that events were lost.
  func noteLoss(in group: Group) {
    note { news in
      news.stale.insert(group)
      switch group {
      case .directory: news.isEverything = true
      case .link(let file): news.add(file, madeAt: nil)
      }
    }
  }

  /// Records that an entry of a place was added, removed or written.
  func noteEntry(_ name: String?, of subscription: WatchedObject.Subscription, isNew: Bool) {
    let place = subscription.place
    note { news in
      switch (subscription.group, place.reason) {
      case (.link(let file), _): news.add(file, madeAt: isNew ? name.map { "\(place.path)/\($0)" } : nil)
      case (.directory, .database):
        // Where the system gives no names, any entry may have changed.
        if let name {
          news.add(PropertyListKey(name), madeAt: isNew ? "\(place.path)/\(name)" : nil)
        } else {
          news.isEverything = true
        }
      case (.directory, _): news.isEverything = true
      }
      // What was removed may exist again already.
      if place.interest == .removals { news.stale.insert(subscription.group) }
    }
  }

  private func note(_ change: (inout WatchNews) -> Void) {
    let needsWorker = state.withLock { state in
      let (count, wasEverything) = (state.news.unmeasured.count, state.news.isEverything)
      change(&state.news)
      let isMore =
        state.endsWithNews && state.news.unmeasured.count != count || state.news.isEverything != wasEverything
      if state.pauseEnd != nil, isMore {
        state.pauseEnd = nil
        return true
      }
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if needsWorker { WorkerThreads.shared.run { self.work() } }
  }

  /// Has a worker go on after a pause, unless that was ended before.
  func endPause(at end: MonotonicTime) {
    if takePause(to: end) { WorkerThreads.shared.run { self.work() } }
  }

  /// Whether a pause has not been ended before; it is over now.
  private func takePause(to end: MonotonicTime) -> Bool {
    state.withLock { state in
      guard state.pauseEnd == end else { return false }
      state.pauseEnd = nil
      return true
    }
  }

  // MARK: - On a worker

  /// What a worker has to do next.
  private enum Step {
    case look(WatchNews, [WhenTold])
    /// To note the sizes of files.
    case measure([PropertyListKey])
  }

  /// Looks at what may have changed, one file after the other, until there is no news.
  private func work() {
    while let (step, start) = next() {
      switch step {
      case .measure(let files):
        let sizes = sizes(of: files)
        schedule.withLock { $0.note(sizes, after: MonotonicTime.now.seconds(since: start)) }
      case .look(let news, let whenTold):
        let file = news.isEverything ? nil : news.files.first
        if let file, isOutOfTurn(file) {
          state.withLock { $0.news.putBack(news) }
          schedule.withLock { $0.addSearch(MonotonicTime.now.seconds(since: start)) }
          continue
        }
        look(news, whenTold, since: start)
        schedule.withLock { $0.add(MonotonicTime.now.seconds(since: start), for: file) }
      }
    }
  }

  /// Renews the watches, and reports news.
  private func look(_ news: WatchNews, _ whenTold: [WhenTold], since start: MonotonicTime) {
    var news = news
    for (file, path) in news.made where isEmptyFile(path) { news.files.remove(file) }
    let isDone = renew(after: news)
    let isComplete = watched.withLock { $0.groups.values.allSatisfy(\.isComplete) }
    let isPolling = state.withLock { state in
      // A look at one file finds out nothing about the places of the others.
      if !isDone { state.needsLookAtEverything = true }
      state.isPolling = !isComplete || state.needsLookAtEverything
      return state.isPolling
    }
    if isPolling { service.setPolling(true, of: self) }
    if !news.isEmpty { onChange(news.isEverything ? nil : domains(of: news.files)) }
    endPollingIfDone()
    for body in whenTold { body(start) }
  }

  /// Ends the polling if there is no reason for it; the report of a look may have been one.
  private func endPollingIfDone() {
    if state.withLock({ $0.isPolling }) { return }
    service.setPolling(false, of: self)
    // Another thread may have asked for it in between.
    if state.withLock({ $0.isPolling }) { service.setPolling(true, of: self) }
  }

  /// What the schedule says is next: to look at everything or at one file, whose news is taken, or to note sizes; nil where
  /// there is no news, or a pause has begun, or the watch was stopped.
  ///
  /// - Returns: also when the search for it began.
  private func next() -> (Step, start: MonotonicTime)? {
    while true {
      // Events that come without end must not have the whole database, or a large file, looked at without end.
      let start = MonotonicTime.now
      var (isStopped, untold, pauseEnd) = (false, [WhenTold](), MonotonicTime?.none)
      let step = state.withLock { state -> Step? in
        if state.isStopped || state.news.isEmpty {
          (isStopped, untold) = (state.isStopped, state.whenTold)
          (state.whenTold, state.isScheduled) = ([], false)
          return nil
        }
        let (turn, mayComeSooner) = schedule.withLock { schedule in
          let turn = schedule.next(
            of: state.news.files, unmeasured: state.news.unmeasured, isEverything: state.news.isEverything,
            at: start)
          return (turn, schedule.mayComeSooner(at: start))
        }
        switch turn {
        case .later(let seconds):
          pauseEnd = start + max(seconds, WatchPauses.shortest)
          (state.pauseEnd, state.endsWithNews) = (pauseEnd, mayComeSooner)
          return nil
        case .sizes(let files):
          state.news.unmeasured.subtract(files)
          return .measure(files)
        case .file(let file):
          return .look(state.news.take(file), [])
        case .everything:
          defer { (state.news, state.whenTold, state.needsLookAtEverything) = (WatchNews(), [], false) }
          return .look(state.news, state.whenTold)
        }
      }
      if isStopped { end() }
      for body in untold { body(.now) }
      if let step { return (step, start) }
      guard let pauseEnd, !WatchPauses.shared.begin(of: self, until: pauseEnd) else { return nil }
      // The system provides no other thread. Whoever ends the pause meanwhile has a job for this one.
      CurrentProcess.pause(microseconds: Int(1e6 * WatchPauses.shortest))
      guard takePause(to: pauseEnd) else { return nil }
    }
  }

  /// Whether a file has become large, so that another one may come first.
  private func isOutOfTurn(_ file: PropertyListKey) -> Bool {
    let size = sizes(of: [file])[0].byteCount
    return schedule.withLock { $0.note(byteCount: size, of: file) }
  }

  /// How many bytes a look at each of some files may read.
  private func sizes(of files: [PropertyListKey]) -> [(file: PropertyListKey, byteCount: Int64)] {
    directory.looking(or: files.map { ($0, 0) }) {
      files.map { file in
        // Of the two files that a domain may have, the look may read the other one.
        let domain = DomainFile.possibleDomain(ofFileNamed: file.text, in: directory)
        let names = domain.map { DomainFile.names(of: $0, in: directory) } ?? [file.text]
        return (file, names.map { byteCount(ofFile: $0) }.max() ?? 0)
      }
    }
  }

  /// How many bytes a file has, or what its link leads to; 0 without one.
  private func byteCount(ofFile name: String) -> Int64 {
    do throws(SystemError) {
      return try directory.statusBehindLink(at: directory.path(of: name)).size
    } catch {
      return 0
    }
  }

  /// Whether another program has just created a file and will write it soon; it should not
  /// be disturbed by a reader.
  private func isEmptyFile(_ path: String) -> Bool {
    directory.looking(or: false) {
      do throws(SystemError) {
        let status = try directory.fileSystem.status(at: path, followingLinks: false)
        return status.kind == .regular && status.size == 0
      } catch {
        return false
      }
    }
  }

  /// The domains that have files of these names.
  private func domains(of files: Set<PropertyListKey>) -> Set<DomainName> {
    var names: Set<DomainName> = []
    for file in files {
      if let name = DomainFile.possibleDomain(ofFileNamed: file.text, in: directory) { names.insert(name) }
    }
    return names
  }

  // MARK: - What to watch

  /// Watches exactly what has to be watched now, as far as the system lets it; false if that could not be found out.
  private func renew(after news: WatchNews) -> Bool {
    directory.looking(or: false) { renewAsOwner(after: news) }
  }

  private func renewAsOwner(after news: WatchNews) -> Bool {
    watched.withLock { watched in
      do throws(SystemError) {
        if news.isEverything {
          try renewAll(&watched, after: news)
        } else if let path = watched.path {
          var stepsLeft = Self.maximumLinkStepCount
          for file in news.files {
            let isStale = news.stale.contains(.link(file))
            renewLink(of: file, in: path, &watched, isStale: isStale, &stepsLeft)
          }
        }
        return true
      } catch {
        // The next attempt may succeed.
        return false
      }
    }
  }

  private func renewAll(_ watched: inout Watched, after news: WatchNews) throws(SystemError) {
    let isStale = news.isLost || news.stale.contains(.directory)
    let old = watched.path
    var path: String?
    try renew(.directory, in: &watched, isStale: isStale) { (places) throws(SystemError) in
      (places, path) = try WatchedPlace.way(to: directory)
    }
    watched.path = path
    var files: Set<PropertyListKey> = []
    if let path {
      if let names = followed() {
        for name in names {
          files.formUnion(DomainFile.names(of: name, in: directory).map { PropertyListKey($0) })
        }
      } else {
        files = Set(try directory.fileSystem.names(inDirectory: path).map { PropertyListKey($0) })
      }
      var stepsLeft = Self.maximumLinkStepCount
      let isMoved = old.map { !haveEqualBytes(path, $0) } ?? true
      for file in files {
        let isLinkStale = isStale || isMoved || news.stale.contains(.link(file))
        renewLink(of: file, in: path, &watched, isStale: isLinkStale, &stepsLeft)
      }
    }
    for group in watched.groups.keys {
      if case .link(let file) = group, !files.contains(file) { remove(group, from: &watched) }
    }
  }

  /// Watches the way of a link in place of a file; one that cannot be found out is polled, and keeps no other one from being
  /// watched.
  private func renewLink(
    of file: PropertyListKey, in path: String, _ watched: inout Watched, isStale: Bool, _ stepsLeft: inout Int
  ) {
    do throws(SystemError) {
      try renew(.link(file), in: &watched, isStale: isStale) { (places) throws(SystemError) in
        places = try WatchedPlace.link(file.text, in: path, of: directory, stepsLeft: &stepsLeft)
      }
    } catch {
      remove(.link(file), from: &watched)
      watched.groups[.link(file)] = WatchedGroup(isComplete: false)
    }
  }

  /// Finds the places of a group and watches them.
  private func renew(
    _ group: Group, in watched: inout Watched, isStale: Bool,
    finding find: (inout [WatchedPlace]) throws(SystemError) -> Void
  ) throws(SystemError) {
    var isStale = isStale
    // Each round finds what changed before the watches of the previous round existed.
    for _ in 0..<100 {
      var places: [WatchedPlace] = []
      do throws(SystemError) {
        try find(&places)
      } catch  where error == .notFound || error == .notADirectory {
        // A component was removed between two steps.
        isStale = true
        continue
      }
      if places == watched.groups[group]?.places ?? [], !isStale { return }
      // All are watched anew: an object that is watched for more than before must not
      // wake the thread needlessly.
      remove(group, from: &watched)
      isStale = false
      if places.isEmpty { return }
      if case .link = group, watched.linkSubscriptionCount + places.count > Self.maximumLinkPlaceCount {
        watched.groups[group] = WatchedGroup(isComplete: false)
        return
      }
      let (new, isGone) = watch(places, in: group)
      watched.groups[group] = new
      if case .link = group { watched.linkSubscriptionCount += new.subscriptions.count }
      isStale = isGone
    }
    watched.groups[group, default: WatchedGroup()].isComplete = false
  }

  private func remove(_ group: Group, from watched: inout Watched) {
    guard let old = watched.groups.removeValue(forKey: group) else { return }
    service.remove(old.subscriptions)
    if case .link = group { watched.linkSubscriptionCount -= old.subscriptions.count }
  }

  /// Watches places; gives whether one of them was gone before its watch existed.
  private func watch(
    _ places: [WatchedPlace], in group: Group
  ) -> (watched: WatchedGroup, isGone: Bool) {
    var watched = WatchedGroup(places: places)
    var isGone = false
    for place in places {
      do throws(SystemError) {
        watched.subscriptions.append(try service.add(place, for: self, in: group))
      } catch {
        isGone = isGone || error == .notFound || error == .notADirectory
        // A parent directory that may not be read can hardly be renamed either.
        if !(place.interest != .entries && error == .notPermitted) { watched.isComplete = false }
      }
      // A directory on the way there is hardly replaced by another machine without all that is in it.
      if place.interest == .entries || place.interest == .link,
        RemoteFileSystem.holds(place.path, followingLink: false)
      {
        watched.isComplete = false
      }
    }
    return (watched, isGone)
  }
}
