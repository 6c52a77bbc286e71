#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("DirectoryEvents: name this platform's C library here, and check that it has inotify or kqueue.")
#endif

/// The system's events about directories and files: inotify, or kqueue on Apple's systems.
///
/// One thread waits; any thread may call ``wake()``.
///
/// Some programs close all open descriptors, and the numbers then belong to files of theirs. So before each use it is
/// checked that a number still names what it was made for.
package final class DirectoryEvents: Sendable {
  /// The events wanted for a directory or a symbolic link; of those for directories each includes the ones before it.
  package enum Interest: Hashable, Comparable, Sendable {
    /// A directory's renaming or removal; one that is a process's working directory may report its removal only
    /// when the last such process leaves it.
    case itself
    /// A symbolic link's renaming or removal, also where the link has other names (hard links).
    case link
    /// The removal of a directory's entries, reported at once.
    case removals
    /// The addition, removal and writing of a directory's entries, and the change of its own rights.
    case entries
  }

  package enum Event: Hashable, Sendable {
    /// An entry was added, removed or written; the name is nil where the system gives none.
    ///
    /// A new file is reported again when it has been written.
    case entry(name: String?, of: Int32, isNew: Bool)
    /// The watched object may no longer exist, or not under its name, or is to be watched anew for another reason.
    case gone(Int32)
    /// The system has lost events, because its queue was full.
    case overflow
  }

  /// The events of one look into the system's queue.
  package struct Round: Sendable {
    /// Each event of a directory and a name once, in the order in which they came first.
    package var events: [Event] = []
    /// How many events the system gave.
    package var eventCount = 0
  }

  private let queue: Int32
  /// The two ends of a pipe; a byte in it ends the waiting.
  private let (readEnd, writeEnd): (Int32, Int32)
  /// The device and the inode of the pipe.
  private let pipeIdentity: (device: dev_t, inode: ino_t)
  /// The number under which the root directory is watched, so that the queue can be recognised; -1 where that is not
  /// needed, or impossible.
  private let sentinel: Int32
  /// How often a round reads from the queue.
  private let readCount: Int

  /// - Parameter readCount: How often a round reads from the queue. After 256 reads Linux's is empty, unless programs cause
  ///   events meanwhile or the administrator has made it longer than usual.
  /// - Throws: an error where the system provides no such events, or too many instances are in use.
  package init(readCount: Int = 256) throws(SystemError) {
    self.readCount = readCount
    try DiskFileSystem.occupyClosedStreams()
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(code: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    #if canImport(Darwin)
      queue = kqueue()
    #else
      queue = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    #endif
    guard queue >= 0 else {
      let code = errno
      for end in ends { close(end) }
      throw SystemError(code: code)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
    var status = stat()
    fstat(readEnd, &status)
    pipeIdentity = (status.st_dev, status.st_ino)
    sentinel = DirectoryEvents.watchRoot(queue)
  }

  deinit {
    if isOwnQueue { close(queue) }
    for end in [readEnd, writeEnd] where isOwnPipe(end) { close(end) }
  }

  private func isOwnPipe(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && (status.st_dev, status.st_ino) == pipeIdentity
  }

  /// Whether all three descriptors are still those that were made.
  private var areOwn: Bool { isOwnPipe(readEnd) && isOwnPipe(writeEnd) && isOwnQueue }

  /// Ends the waiting, now or the next time.
  package func wake() {
    guard isOwnPipe(writeEnd) else { return }
    // If the pipe is full, it ends the waiting as well.
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// Waits for events until it is woken or the timeout; gives the events that have arrived.
  ///
  /// A round gives a bounded number of events: programs may cause them faster than they can be read. If there are more, the
  /// next call gives them at once.
  ///
  /// - Parameter milliseconds: The timeout; nil for none.
  /// - Returns: nil, at once, if the program has closed the descriptors, as some
  ///   programs do with all open ones.
  package func wait(milliseconds: Int32?) -> Round? {
    var descriptors = [queue, readEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = poll(&descriptors, nfds_t(descriptors.count), milliseconds ?? -1)
    if descriptors.contains(where: { $0.revents & Int16(POLLNVAL) != 0 }) || !areOwn { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(readEnd, &bytes, bytes.count) > 0 {}
    return readEvents()
  }
}

#if canImport(Darwin)
  extension DirectoryEvents {
    /// Watches the object at a path, also a symbolic link; watching it again changes nothing else.
    ///
    /// - Returns: The object's number, valid until ``unwatch(_:)`` or until it is gone.
    package func watch(_ path: String, for interest: Interest) throws(SystemError) -> Int32 {
      let descriptor = open(path, O_EVTONLY | O_CLOEXEC | O_SYMLINK)
      guard descriptor >= 0 else { throw SystemError(code: errno) }
      var notes = NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE
      if interest == .link { notes |= NOTE_LINK }
      if interest == .entries { notes |= NOTE_WRITE | NOTE_ATTRIB }
      var change = kevent(
        ident: UInt(descriptor), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
        fflags: UInt32(bitPattern: notes), data: 0, udata: nil)
      guard kevent(queue, &change, 1, nil, 0, nil) == 0 else {
        let code = errno
        close(descriptor)
        throw SystemError(code: code)
      }
      return descriptor
    }

    /// Ends watching.
    package func unwatch(_ number: Int32) {
      close(number)
    }

    private static func watchRoot(_ queue: Int32) -> Int32 { -1 }

    /// Whether the queue is still one: no call for queues does anything to another kind of file.
    private var isOwnQueue: Bool {
      var now = timespec()
      return kevent(queue, nil, 0, nil, 0, &now) == 0
    }

    private func readEvents() -> Round {
      var round = Round()
      var event = kevent()
      var now = timespec()
      while round.eventCount < readCount, kevent(queue, nil, 0, &event, 1, &now) == 1 {
        round.eventCount += 1
        let isWrite = event.fflags & UInt32(bitPattern: NOTE_WRITE) != 0
        let isGone = event.fflags & ~UInt32(bitPattern: NOTE_WRITE) != 0
        if isWrite { round.events.append(.entry(name: nil, of: Int32(event.ident), isNew: false)) }
        if isGone { round.events.append(.gone(Int32(event.ident))) }
      }
      return round
    }
  }
#else
  extension DirectoryEvents {
    private static let endOfItself = Int32(IN_DELETE_SELF | IN_MOVE_SELF)
    private static let changeOfEntry = Int32(
      IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)

    /// Watches the object at a path, also a symbolic link; watching it again changes nothing else.
    ///
    /// - Returns: The object's number, valid until ``unwatch(_:)`` or until it is gone.
    package func watch(_ path: String, for interest: Interest) throws(SystemError) -> Int32 {
      // Added to the mask of the same object if it is watched under another path.
      var mask = DirectoryEvents.endOfItself | Int32(IN_MASK_ADD | IN_DONT_FOLLOW)
      if interest == .link { mask |= Int32(IN_ATTRIB) }
      if interest == .removals { mask |= Int32(IN_DELETE) }
      if interest == .entries { mask |= DirectoryEvents.changeOfEntry | Int32(IN_ONLYDIR) }
      guard isOwnQueue else { throw .tooManyOpenFiles }
      // The kernel's own walk along the path would follow links of `/proc` that lead past a user's rights.
      return try inParent(of: path) { (parent, name) throws(SystemError) in
        let place = parent == AT_FDCWD ? "" : "/proc/self/fd/\(parent)/"
        return inotify_add_watch(queue, place + String(cString: name), UInt32(bitPattern: mask))
      }
    }

    /// A watch that tells of next to nothing, and fails where there is one already.
    private static let sentinelMask = UInt32(bitPattern: Int32(IN_DELETE_SELF | IN_MASK_CREATE))

    private static func watchRoot(_ queue: Int32) -> Int32 { inotify_add_watch(queue, "/", sentinelMask) }

    /// Whether the queue is still this object's: the root directory is watched in it.
    ///
    /// All instances of inotify have the same device and inode, so that `fstat` does not tell them apart.
    private var isOwnQueue: Bool {
      // Where the root directory cannot be read, or the user has too many watches, the pipe alone has to tell.
      guard sentinel >= 0 else { return true }
      let number = inotify_add_watch(queue, "/", DirectoryEvents.sentinelMask)
      guard number >= 0 else { return errno == EEXIST }
      // An old system makes the watch anew, with the same number. In another instance it is undone.
      if number != sentinel { inotify_rm_watch(queue, number) }
      return number == sentinel
    }

    /// Ends watching.
    package func unwatch(_ number: Int32) {
      // Fails for an object that is gone, whose watch has ended by itself.
      if number != sentinel { inotify_rm_watch(queue, number) }
    }

    private func readEvents() -> Round {
      var round = Round()
      // The bytes of the events so far: names that Swift takes for one are different files.
      var known: Set<[UInt8]> = []
      // The system gives whole events only; one with the longest name fits into this buffer.
      var buffer = [UInt8](repeating: 0, count: 1 << 14)
      for _ in 0..<readCount {
        let count = read(queue, &buffer, buffer.count)
        guard count > 0 else { return round }
        var offset = 0
        while offset < count {
          let first = offset
          let header = buffer.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          }
          let start = offset + MemoryLayout<inotify_event>.size
          offset = start + Int(header.len)
          // Each event states the length of the name behind it.
          guard offset <= count else { return round }
          round.eventCount += 1
          // The cookie, which is another one for each renaming, tells nothing that is needed here.
          let cookie = first + (MemoryLayout<inotify_event>.offset(of: \.cookie) ?? 0)
          for index in cookie..<cookie + MemoryLayout<UInt32>.size { buffer[index] = 0 }
          if known.insert(Array(buffer[first..<offset])).inserted,
            let event = DirectoryEvents.event(header, name: buffer[start..<offset])
          {
            round.events.append(event)
          }
        }
      }
      return round
    }

    private static func event(_ header: inotify_event, name: ArraySlice<UInt8>) -> Event? {
      let mask = Int32(bitPattern: header.mask)
      if mask & Int32(IN_Q_OVERFLOW) != 0 { return .overflow }
      if mask & (endOfItself | Int32(IN_UNMOUNT)) != 0 { return .gone(header.wd) }
      guard mask & changeOfEntry != 0 else { return nil }
      // Without a name it is about the watched object: its rights are others, or one of its names was removed. A directory
      // that another one replaced, while a process has it open, tells no more than this.
      if header.len == 0 { return .gone(header.wd) }
      // The name is padded with zeros; a name that is not UTF-8 is no domain's.
      let text = String(validating: name.prefix { $0 != 0 }, as: UTF8.self)
      return .entry(name: text, of: header.wd, isNew: mask & Int32(IN_CREATE) != 0)
    }
  }
#endif
