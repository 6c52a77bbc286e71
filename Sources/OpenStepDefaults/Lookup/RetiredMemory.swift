import DefaultsDatabase

/// Memory that no shared pointer leads to any more, but that readers may still be looking at.
struct RetiredMemory {
  /// What can be retired.
  enum Piece {
    case entry(LookupEntry.Pointer)
    case slots(LookupSlots)
    /// A list of tables, with the domains whose tables they are.
    case list(SearchedTables, [SearchPath.Domain])

    func free() {
      switch self {
      case .entry(let entry): LookupEntry.free(entry)
      case .slots(let slots): slots.free()
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

  /// How many pieces are not free yet.
  var count: Int { waiting.count + draining.count }

  /// Takes a piece that no shared pointer leads to any more.
  ///
  /// - Parameter isLarge: Whether to look at once what can be freed, and not only now and then.
  mutating func add(_ piece: Piece, isLarge: Bool) {
    // Most often nobody is reading, and what is freed at once needs no list.
    if isLarge, count == 0, ReaderCounters.shared.busy() == 0 { return piece.free() }
    waiting.append(piece)
    if isLarge || waiting.count >= 16 { freeUnseen() }
  }

  private mutating func freeUnseen() {
    let counters = ReaderCounters.shared
    if !draining.isEmpty {
      unseen = counters.busy(among: unseen)
      guard unseen == 0 else { return }
      for piece in draining { piece.free() }
    }
    swap(&draining, &waiting)
    waiting.removeAll(keepingCapacity: true)
    unseen = counters.busy()
    guard unseen == 0 else { return }
    for piece in draining { piece.free() }
    draining.removeAll(keepingCapacity: true)
  }

  /// Frees everything; for an owner that nobody can read any more.
  mutating func freeAll() {
    for piece in waiting + draining { piece.free() }
    (waiting, draining) = ([], [])
  }
}
