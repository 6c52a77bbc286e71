import DefaultsDatabase
import OpenStepPropertyList

/// Memory to which no shared pointer leads any more, but which readers may still use: the writer's side of
/// deferred reclamation (compare RCU).
///
/// Pieces are freed in the order in which they were retired: entries before the memory that contains them.
struct RetiredMemory {
  /// What can be retired.
  ///
  /// Sendable unchecked, because a piece goes to another thread only when no reader can use it any more.
  enum Piece: @unchecked Sendable {
    /// With the memory that contains the entry.
    case entry(LookupEntry.Pointer, EntryMemory)
    case slots(LookupSlots)
    /// The contents of a table: its slots, their entries, the memory of the entries, and the text of the
    /// values that are not parsed yet.
    case contents(LookupSlots, EntryMemory, DictionaryText?)
    /// The text of a table whose values are all parsed now.
    case text(DictionaryText)
    /// A list of tables, with the domains that own the tables.
    case list(SearchedTables, [SearchPath.Domain])

    /// Whether freeing it may take long.
    fileprivate var isLarge: Bool {
      if case .entry(let entry, _) = self { entry.pointee.value.isLarge } else { true }
    }

    /// Frees it; on a worker thread if that may take long.
    func freeSoon() {
      // A thread that is started while this one has a user's rights would inherit them, and keep them.
      if takesLong, !FileRights.areTaken {
        WorkerThreads.shared.run { free() }
      } else {
        free()
      }
    }

    private var takesLong: Bool {
      switch self {
      case .contents(let slots, _, _): slots.usedCount > 1000
      case .text(let text): text.bytes.count > 1 << 20
      case .entry, .slots, .list: false
      }
    }

    func free() {
      switch self {
      case .entry(let entry, let memory): LookupEntry.free(entry, in: memory)
      case .slots(let slots): slots.free()
      case .contents(let slots, let memory, _):
        slots.forEachEntry { LookupEntry.end($0) }
        slots.free()
        memory.free()
      // Its memory is freed with the last reference.
      case .text: break
      case .list(let list, _): list.free()
      }
    }
  }

  /// The pieces that were retired after the present grace period began.
  private var waiting: [Piece] = []
  /// The pieces of the present grace period, which ends when ``unseen`` is empty.
  private var draining: [Piece] = []
  /// The set of counters that have not been seen at zero since the grace period began.
  private var unseen: UInt64 = 0
  /// Large pieces that no reader can use any more.
  private var freeable: [Piece] = []

  /// Stops a debug build where a grace period has no piece or no end, or where a small piece was kept for the caller.
  /// O(1), since a piece is looked at when it has just been added.
  func checkInvariants() {
    assert(draining.isEmpty == (unseen == 0), "a grace period waits for no reader, or no piece waits for it")
    assert(freeable.last?.isLarge ?? true, "a small piece was kept that could be freed at once")
  }

  /// How many pieces readers may still use.
  var count: Int { waiting.count + draining.count }

  /// Takes a piece to which no shared pointer leads any more.
  ///
  /// A large piece is not freed here: ``takeFreeable()`` hands it out, for the caller to free it after it has
  /// released its lock.
  ///
  /// - Parameter isLarge: Whether to check at once what can be freed; otherwise only now and then.
  mutating func add(_ piece: Piece, isLarge: Bool) {
    defer { checkInvariants() }
    // Usually no thread is reading, and a piece that can be freed at once needs no list.
    if isLarge, count == 0, ReaderCounters.shared.busy() == 0 { return dispose(of: piece) }
    waiting.append(piece)
    if isLarge || waiting.count >= 16 { freeUnseen() }
  }

  /// Takes a large piece to which no reader ever comes: it can be freed as soon as the caller has released its lock.
  mutating func add(unread piece: Piece) {
    freeable.append(piece)
    checkInvariants()
  }

  /// Takes the large pieces that can be freed, which may take long.
  mutating func takeFreeable() -> [Piece] {
    guard !freeable.isEmpty else { return [] }
    defer { freeable = [] }
    return freeable
  }

  /// Takes all pieces of another owner, whose memory belongs to this one from now on.
  mutating func take(_ other: inout RetiredMemory) {
    waiting += other.draining + other.waiting
    freeable += other.freeable
    other = RetiredMemory()
    checkInvariants()
  }

  private mutating func dispose(of piece: Piece) {
    if piece.isLarge { freeable.append(piece) } else { piece.free() }
  }

  private mutating func freeUnseen() {
    let counters = ReaderCounters.shared
    if !draining.isEmpty {
      unseen = counters.busy(among: unseen)
      guard unseen == 0 else { return }
      for piece in draining { dispose(of: piece) }
    }
    swap(&draining, &waiting)
    waiting.removeAll(keepingCapacity: true)
    unseen = counters.busy()
    guard unseen == 0 else { return }
    for piece in draining { dispose(of: piece) }
    draining.removeAll(keepingCapacity: true)
  }

  /// The list to which this thread adds the pieces that it would free, while it holds a lock.
  private static let postponed = ThreadSlot()

  /// Runs a body that takes a lock, and frees the pieces that are retired meanwhile after that.
  static func freeingAfterwards<Result>(_ body: () -> Result) -> Result {
    var pieces: [Piece] = []
    let result = withUnsafeMutablePointer(to: &pieces) { list in
      let outer = postponed.contents
      postponed.contents = UnsafeMutableRawPointer(list)
      defer { postponed.contents = outer }
      return body()
    }
    if !pieces.isEmpty { free(&pieces) }
    return result
  }

  /// Whether this thread has pieces that it frees after the lock that it holds.
  static var hasPostponed: Bool {
    guard let list = postponed.contents else { return false }
    return !list.assumingMemoryBound(to: [Piece].self).pointee.isEmpty
  }

  /// Frees pieces that no reader can use any more; no lock may be held, except inside ``freeingAfterwards(_:)``.
  ///
  /// - Parameter isNow: Whether to free a large piece at once too, and not on a worker thread.
  static func free(_ pieces: inout [Piece], now isNow: Bool = false) {
    if let list = postponed.contents {
      list.assumingMemoryBound(to: [Piece].self).pointee += pieces
      pieces = []
      return
    }
    // Values may be nested deeper than the caller's stack can release.
    LargeStack.runWithStackToRelease {
      for piece in pieces { if isNow { piece.free() } else { piece.freeSoon() } }
      pieces = []
    }
  }

  /// Frees all pieces; for an owner that no thread can read any more.
  mutating func freeAll() {
    // Values may be nested deeper than the caller's stack can release. The order is that in which the pieces were
    // retired: contents that were retired later contain the memory of entries.
    LargeStack.runWithStackToRelease {
      for piece in draining + waiting + freeable { piece.free() }
      self = RetiredMemory()
    }
  }
}
