package import DefaultsDatabase

/// What goes from a history: by a person's wish, or for want of room.
extension History {
  /// Removes the records of a domain, or all for nil, also those of logs that were damaged; snapshots stay.
  package func clear(domain: DomainName?) throws(DatabaseError) {
    // Of a damaged log no part can be kept.
    if domain != nil { _ = try records() }
    var hasBegun = false
    var reader = HistoryLogReader(of: self)
    let unneeded = try working("the history cannot be cleared", advice: hasBegun ? "" : History.unchanged) {
      () throws(SystemError) -> [String] in
      guard try exists() else { return [] }
      reader.prepare()
      return try withLock { () throws(SystemError) -> [String] in
        var log: HistoryLog
        switch try reader.read() {
        case .none: log = HistoryLog()
        case .log(let present): log = present.log
        case .damaged(let bytes, _): log = try logAfter(damaged: bytes)
        }
        log.keep { domain != nil && $0.domain != domain }
        let unneeded = try write(&log)
        reader.note(rewritten: log)
        hasBegun = true
        // Under the lock, because the next damaged log gets the name again.
        if domain == nil { for name in try damagedLogNames() { try removeDirectory(name) } }
        return unneeded
      }
    }
    try working("the log is cleared, but not every copy of a file can be removed") { () throws(SystemError) in
      try remove(copies: unneeded, unneededBy: &reader)
    }
  }

  /// Removes the oldest commands beyond the bound, and copies that no command needs.
  ///
  /// Without a log no copy is needed. A damaged log stays as it is, with all copies.
  ///
  /// - Returns: Whether the history takes fewer bytes than before.
  package func prune() throws(DatabaseError) -> Bool {
    try working("the history cannot be written") { () throws(SystemError) -> Bool in
      guard try exists() else { return false }
      let byteCount = try fileByteCount()
      var reader = HistoryLogReader(of: self)
      reader.prepare()
      let unneeded = try withLock { () throws(SystemError) -> [String]? in
        var log: HistoryLog
        switch try reader.read() {
        case .none: log = HistoryLog()
        case .log(let present): log = present.log
        case .damaged: return nil
        }
        _ = prune(&log)
        let unneeded = try write(&log)
        reader.note(rewritten: log)
        return unneeded
      }
      guard let unneeded else { return false }
      try remove(copies: unneeded, unneededBy: &reader)
      return try fileByteCount() < byteCount
    }
  }

  /// What ``prune(_:)`` has done to a log.
  struct Pruning {
    /// The number below which commands were removed; nil if none was.
    var first: Int?
    /// Whether the file has to be written as a whole to be as small as it must be.
    var isTooLarge: Bool
  }

  /// Removes the oldest commands beyond the bound from a log, so that there is room for another.
  ///
  /// From a long log that takes too many bytes an eighth is removed, since its file has to be written for that.
  ///
  /// - Complexity: linear in the number of commands and of the removed records, and of the copies that were not measured.
  func prune(_ log: inout HistoryLog) -> Pruning {
    measure(&log)
    var identifiers = log.identifiers[...]
    let count = identifiers.count
    let isTooLarge = log.byteCount + log.copies.byteCount > History.maximumByteCount
    let room =
      isTooLarge && log.isLong ? History.maximumByteCount / 8 * 7 : History.maximumByteCount
    // Without the lines of removed records, which go where the file is too large.
    var total = log.copies.byteCount
    for identifier in identifiers { total += log.lineByteCount(ofCommand: identifier) }
    while let oldest = identifiers.first,
      identifiers.count >= History.maximumCount || total > room
    {
      total -= log.copies.byteCount(ofCommand: oldest) + log.lineByteCount(ofCommand: oldest)
      identifiers.removeFirst()
    }
    guard identifiers.count < count else { return Pruning(first: nil, isTooLarge: isTooLarge) }
    let first = identifiers.first ?? log.highest + 1
    log.removeCommands(before: first)
    return Pruning(first: first, isTooLarge: isTooLarge)
  }

  /// Finds out the sizes of a log's copies that are not known yet.
  func measure(_ log: inout HistoryLog) {
    log.copies.measure { size(ofCopy: $0) }
  }

  /// How many bytes a copy counts for; a larger one as the largest that is read, so that all can be added.
  private func size(ofCopy name: String) -> Int {
    let size = (try? fileSystem.status(at: "\(path)/\(name)", followingLinks: false))?.size ?? 0
    return Int(min(size, Int64(FileSize.maximum)))
  }
}
