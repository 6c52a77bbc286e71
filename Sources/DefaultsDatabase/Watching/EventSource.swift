/// Where a ``WatchService`` learns of changes.
protocol EventSource: Sendable {
  /// Watches the object at a path, as ``DirectoryEvents/watch(_:for:)``; may take any time, as the file system does.
  func watch(_ path: String, for interest: DirectoryEvents.Interest) throws(SystemError) -> Int32

  /// Ends watching.
  func unwatch(_ number: Int32)

  /// Waits for events until it is woken or the timeout, and gives a bounded number of them; nil if the program has closed
  /// the descriptors.
  func wait(milliseconds: Int32?) -> DirectoryEvents.Round?

  /// Ends the waiting, now or the next time.
  func wake()
}

extension DirectoryEvents: EventSource {}
