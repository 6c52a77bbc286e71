package import DefaultsDatabase

/// What goes from a history: by a person's wish, or for want of room.
extension History {
  /// Removes the records of a domain, or all for nil, also those of logs that were damaged; snapshots stay.
  ///
  /// - Throws: an error that says what was removed: the log is cleared first.
  package func clear(domain: DomainName?) throws(DatabaseError) {
    // Of a damaged log no part can be kept.
    if domain != nil { _ = try records() }
    var isCleared = false
    var reader = HistoryLogReader(of: self)
    var failure: (name: String, error: SystemError)?
    let unneeded = try working(
      "the history cannot be cleared", advice: isCleared ? "its records are removed" : History.unchanged
    ) {
      () throws(SystemError) -> [String]? in
      guard try exists() else { return [] }
      reader.prepare()
      return try changingLog { (lock) throws(SystemError) -> [String]? in
        var (log, status): (HistoryLog, FileStatus?)
        switch try reader.read() {
        case .none: (log, status) = (try logAfter(damaged: []), nil)
        case .log(let present): (log, status) = (present.log, present.status)
        case .damaged(let bytes, _, let found): (log, status) = (try logAfter(damaged: bytes), found)
        }
        log.keep { domain != nil && $0.domain != domain }
        guard try replace(with: &log, over: status, in: lock) else { return nil }
        isCleared = true
        reader.note(rewritten: log)
        let unneeded = try keepReplaced(&log)
        // Under the lock, because the next damaged log gets the name again.
        for name in domain == nil ? try damagedLogNames() : [] {
          do throws(SystemError) {
            try removeDirectory(name)
          } catch {
            failure = failure ?? (name, error)
          }
        }
        return unneeded
      }
    }
    guard let unneeded else {
      throw DatabaseError(.refused, path: path, message: History.changedAgain, advice: History.unchanged)
    }
    try remove(copies: unneeded, unneededBy: &reader, after: "the log is cleared")
    if let failure {
      throw .inputOutput(
        failure.error, path: "\(path)/\(failure.name)",
        "the log is cleared, but this damaged one cannot be removed")
    }
  }

  /// Removes the oldest commands beyond the bound, and copies that no command needs.
  ///
  /// Without a log no copy is needed. A damaged log stays as it is, with all copies.
  ///
  /// - Returns: Whether the history takes fewer bytes than before.
  package func prune() throws(DatabaseError) -> Bool {
    var reader = HistoryLogReader(of: self)
    var byteCount = 0
    let unneeded = try working("the history cannot be written") { () throws(SystemError) -> [String]? in
      guard try exists() else { return [] }
      byteCount = try fileByteCount()
      reader.prepare()
      return try changingLog { (lock) throws(SystemError) -> [String]? in
        var (log, status): (HistoryLog, FileStatus?)
        switch try reader.read() {
        case .none: (log, status) = (HistoryLog(), nil)
        case .log(let present): (log, status) = (present.log, present.status)
        case .damaged: return []
        }
        _ = prune(&log)
        guard try replace(with: &log, over: status, in: lock) else { return nil }
        reader.note(rewritten: log)
        return try keepReplaced(&log)
      }
    }
    guard let unneeded else {
      throw DatabaseError(.refused, path: path, message: History.changedAgain, advice: History.unchanged)
    }
    try remove(copies: unneeded, unneededBy: &reader, after: "the log is written")
    return try working("the history cannot be read") { () throws(SystemError) in
      guard try exists() else { return false }
      return try fileByteCount() < byteCount
    }
  }

  private func remove(
    copies names: [String], unneededBy reader: inout HistoryLogReader, after outcome: String
  ) throws(DatabaseError) {
    guard !names.isEmpty else { return }
    try working("\(outcome), but not every copy of a file can be removed") { () throws(SystemError) in
      try remove(copies: names, unneededBy: &reader)
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
