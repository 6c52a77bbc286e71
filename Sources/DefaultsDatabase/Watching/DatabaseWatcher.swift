/// Tells when a database may have changed on disk, whoever changed it, as long as it exists.
///
/// It sleeps until the system tells of a change to a domain's file, also one that a symbolic link
/// leads to, or to a directory on the way; the directory may be removed and made again. Where such
/// events are not to be had (on a network's file system, or where the system has no more to give),
/// it looks every quarter of a second instead.
package final class DatabaseWatcher: Sendable {
  private let watch: Watch

  /// How often to look where no events are to be had, in seconds: as often as changes are saved.
  package static let pollingInterval = 0.25

  /// Starts watching; nil where the system has no thread to give.
  ///
  /// - Parameter onChange: Called on the watcher's thread: once when the watch stands, since changes
  ///   before that are not told of, and then after each change. Several changes may be one call, and
  ///   a call may come without a change. It may let go of the watcher, and takes as long as it likes.
  package convenience init?(
    of database: UserDatabase, onChange: @escaping @Sendable () -> Void
  ) {
    self.init(of: database, events: { () throws(SystemError) in try DirectoryEvents() }, onChange: onChange)
  }

  /// Starts watching with events of a certain source, or by polling where it gives none.
  init?(
    of database: UserDatabase, events: () throws(SystemError) -> DirectoryEvents,
    onChange: @escaping @Sendable () -> Void
  ) {
    let source: DirectoryEvents?
    do throws(SystemError) {
      source = try events()
    } catch {
      source = nil
    }
    let watch = Watch(of: database.home, events: source, onChange: onChange)
    self.watch = watch
    guard SystemThread.start({ watch.run() }) else { return nil }
  }

  deinit {
    watch.stop()
  }

  /// Whether the watcher has to look from time to time, because not every change would be told of.
  package var isPolling: Bool { watch.isPolling }
}

/// What the watcher's thread holds on to, and the watcher itself does not.
private final class Watch: Sendable {
  private let directory: DatabaseDirectory
  private let events: DirectoryEvents?
  private let onChange: @Sendable () -> Void
  private let state = Lock(State())

  private struct State {
    var isStopped = false
    var isPolling = false
  }

  init(of directory: DatabaseDirectory, events: DirectoryEvents?, onChange: @escaping @Sendable () -> Void) {
    self.directory = directory
    self.events = events
    self.onChange = onChange
  }

  var isPolling: Bool { state.withLock { $0.isPolling } }

  func stop() {
    state.withLock { $0.isStopped = true }
    events?.wake()
  }

  // MARK: - On the thread

  func run() {
    var watched = Watched()
    var isNews = true
    while !state.withLock({ $0.isStopped }) {
      if isNews {
        let isComplete = renew(&watched)
        state.withLock { $0.isPolling = !isComplete }
        onChange()
        // Not asked for again, so that nothing outlives the watcher longer than it must.
        if state.withLock({ $0.isStopped }) { return }
      }
      isNews = waitForNews(&watched)
    }
  }

  /// Waits until something concerns the database, or until it is time to look; false to wait on.
  private func waitForNews(_ watched: inout Watched) -> Bool {
    let interval = Int(DatabaseWatcher.pollingInterval * 1000)
    let isPolling = isPolling
    // What could not be watched may be watched by now.
    watched.isStale = isPolling
    guard let news = events?.wait(milliseconds: isPolling ? Int32(interval) : nil) else {
      CurrentProcess.pause(microseconds: 1000 * interval)
      watched.isStale = true
      return true
    }
    var isNews = isPolling
    for event in news {
      switch event {
      case .gone, .overflow:
        watched.isStale = true
        isNews = true
      case .entry(let name, let number, let isNew):
        guard let name else {
          isNews = true
          continue
        }
        let places = (watched.byNumber[number] ?? []).filter {
          $0.concerns(name) && !(isNew && isEmptyFile(name, in: $0.path))
        }
        if places.isEmpty { continue }
        isNews = true
        // What was removed may have been made again already.
        if places.contains(where: { $0.interest == .removals }) { watched.isStale = true }
      }
    }
    return isNews
  }

  /// Whether a file was made by somebody who will write it in a moment, and who is not to be disturbed.
  private func isEmptyFile(_ name: String, in place: String) -> Bool {
    do throws(SystemError) {
      let status = try directory.fileSystem.status(at: "\(place)/\(name)", followingLinks: false)
      return status.kind == .regular && status.size == 0
    } catch {
      return false
    }
  }

  // MARK: - What to watch

  /// Watches what must be watched by now, and no more; false where that is not all to be had.
  private func renew(_ watched: inout Watched) -> Bool {
    guard let events else { return false }
    // Each round finds what changed before the watches of the round before stood.
    for _ in 0..<100 {
      let places: [WatchedPlace]
      do throws(SystemError) {
        places = try WatchedPlace.all(for: directory)
      } catch {
        return false
      }
      if places == watched.places && !watched.isStale { return watched.isComplete }
      // All anew: what is watched for less than before must not wake anyone for the rest.
      for number in watched.byNumber.keys { events.unwatch(number) }
      watched = Watched(places, events)
    }
    return false
  }
}

/// What is watched, by the system's numbers.
private struct Watched {
  var places: [WatchedPlace] = []
  private(set) var byNumber: [Int32: Set<WatchedPlace>] = [:]
  /// Whether every change will be told of.
  private(set) var isComplete = true
  /// Whether some of it is gone, so that other things may have its names now.
  var isStale = false

  init() {}

  init(_ places: [WatchedPlace], _ events: DirectoryEvents) {
    self.places = places
    for place in places {
      do throws(SystemError) {
        let number = try events.watch(place.path, for: place.interest)
        byNumber[number, default: []].insert(place)
      } catch {
        // A directory above that may not be read may hardly be renamed either.
        if !(place.interest != .entries && error == .notPermitted) { isComplete = false }
      }
      if place.interest == .entries, RemoteFileSystem.holds(place.path) { isComplete = false }
    }
  }
}
