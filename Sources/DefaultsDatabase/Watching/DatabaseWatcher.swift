/// Reports when a database may have changed on disk, whichever process changed it, as
/// long as the watcher exists.
///
/// The system reports changes to a domain's file, also behind a symbolic link, and to the directories on the
/// path; the database's directory may be removed and created again. Where the system provides no such events
/// (for a network file system, or beyond its limits), the watcher polls every quarter of a second; where a look
/// at the database takes long, the pause after it is nine times as long.
///
/// All watchers of a process share the thread and the descriptors that wait for events, and a few threads
/// that exist while something has to be reported: see ``WatchService``.
///
/// The administrator uses the rights that ``DatabaseDirectory/checkPath()`` finds: in another user's directory
/// that user's, so that no link there makes it watch what the user could not.
package final class DatabaseWatcher: Sendable {
  private let watch: DatabaseWatch

  /// How often to poll, in seconds: as often as changes are saved.
  package static let pollingInterval = 0.25

  /// Starts watching; nil where the system provides no thread.
  ///
  /// - Parameters:
  ///   - followed: Gives the domains whose files may be symbolic links to follow; nil for all domains, for
  ///     which the directory has to be listed. Changes of other domains are reported too.
  ///   - begins: Whether to begin at once, and not with ``begin()``: a caller that first stores the watcher where others
  ///     find it loses no domain between `followed` and ``follow(_:)``.
  ///   - onChange: Called on a thread of the package, one call at a time: once when watching has begun, since
  ///     earlier changes are not reported, and then after changes. Its argument is the set of domains that
  ///     may have changed, or nil if any may have. One call may stand for several changes or for none. It may
  ///     release the watcher, and may take any time.
  package convenience init?(
    of database: UserDatabase, following followed: @escaping @Sendable () -> [DomainName]? = { nil },
    begins: Bool = true, onChange: @escaping @Sendable (Set<DomainName>?) -> Void
  ) {
    self.init(of: database, by: .shared, following: followed, begins: begins, onChange: onChange)
  }

  /// Begins to watch, where the initializer has not; to be called once.
  package func begin() {
    watch.begin()
  }

  /// Starts watching with a certain source of events.
  init?(
    of database: UserDatabase, by service: WatchService,
    following followed: @escaping @Sendable () -> [DomainName]? = { nil }, begins: Bool = true,
    onChange: @escaping @Sendable (Set<DomainName>?) -> Void
  ) {
    let watch = DatabaseWatch(of: database.home, by: service, following: followed, onChange: onChange)
    self.watch = watch
    guard service.start() else { return nil }
    if begins { begin() }
  }

  deinit {
    watch.stop()
  }

  /// Whether the watcher polls, because the system would not report every change.
  package var isPolling: Bool { watch.isPolling }

  /// Has the database looked at again a moment later, because a look has failed and may succeed then; to be called by
  /// `onChange` or after it.
  package func lookAgainSoon() {
    watch.lookAgainSoon()
  }

  /// Follows a symbolic link in place of a domain's file; for a domain that `followed` did not give.
  package func follow(_ name: DomainName) {
    watch.follow(name)
  }
}
