/// Tells when a database may have changed on disk, whoever changed it, as long as it exists.
///
/// The system tells of a change to a domain's file, also one that a symbolic link leads to, and of a change to a
/// directory on the way; the directory may be removed and made again. Where such events are not to be had (on a
/// network's file system, or where the system has no more to give), it looks every quarter of a second instead.
///
/// All watchers of a process share the thread and the descriptors that wait for the system's events, and a few threads
/// that are there while something is to be told: see ``WatchService``.
///
/// The administrator looks and watches with the rights that ``DatabaseDirectory/checkWay()`` finds: in another
/// user's directory that user's, so that no link there has it watch what the user could not.
package final class DatabaseWatcher: Sendable {
  private let watch: DatabaseWatch

  /// How often to look where no events are to be had, in seconds: as often as changes are saved.
  package static let pollingInterval = 0.25

  /// Starts watching; nil where the system has no thread to give.
  ///
  /// - Parameters:
  ///   - followed: Gives the domains whose files may be symbolic links to follow; nil for all that there are, for
  ///     which the directory has to be listed. Other domains' changes are told of too.
  ///   - onChange: Called on a thread of the package, one call at a time: once when the watch stands, since changes
  ///     before that are not told of, and then after each change. It is given the domains that may have changed, or
  ///     nil where any may have. Several changes may be one call, and a call may come without a change. It may
  ///     let go of the watcher, and takes as long as it likes.
  package convenience init?(
    of database: UserDatabase, following followed: @escaping @Sendable () -> [DomainName]? = { nil },
    onChange: @escaping @Sendable (Set<DomainName>?) -> Void
  ) {
    self.init(of: database, by: .shared, following: followed, onChange: onChange)
  }

  /// Starts watching with a certain source of events.
  init?(
    of database: UserDatabase, by service: WatchService,
    following followed: @escaping @Sendable () -> [DomainName]? = { nil },
    onChange: @escaping @Sendable (Set<DomainName>?) -> Void
  ) {
    let watch = DatabaseWatch(of: database.home, by: service, following: followed, onChange: onChange)
    self.watch = watch
    guard service.start() else { return nil }
    watch.begin()
  }

  deinit {
    watch.stop()
  }

  /// Whether the watcher has to look from time to time, because not every change would be told of.
  package var isPolling: Bool { watch.isPolling }

  /// Follows a symbolic link in the place of a domain's file; for a domain that ``init`` was not told of.
  package func follow(_ name: DomainName) {
    watch.follow(name)
  }
}
