import DefaultsDatabase
import OpenStepPropertyList

/// Memory that no shared pointer leads to any more, but that readers may still be looking at.
///
/// Pieces go in the order in which they came, so that entries do before the memory that they lie in.
struct RetiredMemory {
  /// What can be retired.
  ///
  /// Sendable unchecked, because nobody can see a piece any more but who frees it.
  enum Piece: @unchecked Sendable {
    /// With the memory that it lies in.
    case entry(LookupEntry.Pointer, EntryMemory)
    case slots(LookupSlots)
    /// All that a table held: its slots, their entries, the memory of these, and the text in which values lie that were
    /// not made.
    case contents(LookupSlots, EntryMemory, DictionaryText?)
    /// A list of tables, with the domains whose tables they are.
    case list(SearchedTables, [SearchPath.Domain])

    /// Whether freeing it may take long.
    fileprivate var isLarge: Bool {
      if case .entry(let entry, _) = self { entry.pointee.value.isLarge } else { true }
    }

    /// Frees it; where that takes long, on a thread that nobody waits for.
    func freeSoon() {
      // A thread that is started while this one has a user's rights would have them, too, and keep them.
      if case .contents(let slots, _, _) = self, slots.usedCount > 1000, !FileRights.areTaken {
        WorkerThreads.shared.run { free() }
      } else {
        free()
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
      case .list(let list, _): list.free()
      }
    }
  }

  /// Retired since ``draining`` was begun.
  private var waiting: [Piece] = []
  /// Retired before the first look at the counters that are left in ``unseen``.
  private var draining: [Piece] = []
  /// The counters that were never seen at zero since.
  private var unseen: UInt64 = 0
  /// Large pieces that no reader can see any more.
  private var ripe: [Piece] = []

  /// How many pieces readers may still be looking at.
  var count: Int { waiting.count + draining.count }

  /// Takes a piece that no shared pointer leads to any more.
  ///
  /// A large one is not freed here but handed out by ``takeRipe()``, for the caller to free it when it has given back
  /// its lock.
  ///
  /// - Parameter isLarge: Whether to look at once what can be freed, and not only now and then.
  mutating func add(_ piece: Piece, isLarge: Bool) {
    // Most often nobody is reading, and what is freed at once needs no list.
    if isLarge, count == 0, ReaderCounters.shared.busy() == 0 { return dispose(of: piece) }
    waiting.append(piece)
    if isLarge || waiting.count >= 16 { freeUnseen() }
  }

  /// Large pieces that are to be freed, which may take long.
  mutating func takeRipe() -> [Piece] {
    guard !ripe.isEmpty else { return [] }
    defer { ripe = [] }
    return ripe
  }

  /// Takes all pieces of another owner, whose memory is this one's from now on.
  mutating func take(_ other: inout RetiredMemory) {
    waiting += other.draining + other.waiting
    ripe += other.ripe
    other = RetiredMemory()
  }

  private mutating func dispose(of piece: Piece) {
    if piece.isLarge { ripe.append(piece) } else { piece.free() }
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

  /// Frees everything; for an owner that nobody can read any more.
  mutating func freeAll() {
    // In the order in which they came: entries lie in the memory of contents that came later.
    for piece in draining + waiting + ripe { piece.free() }
    (waiting, draining, ripe) = ([], [], [])
  }
}
