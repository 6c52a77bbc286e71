package import DefaultsDatabase

/// What goes from a history: by a person's wish, or for want of room.
extension History {
  /// Removes the records of a domain, or all for nil, also those of logs that were damaged; snapshots stay.
  ///
  /// - Throws: an error that says what was removed: the log is cleared first.
  package func clear(domain: DomainName?) throws(DatabaseError) {
    // Of a damaged log no part can be kept.
    if domain != nil { _ = try records() }
    var failure: (name: String, error: SystemError)?
    try rewriteLog(
      failing: "the history cannot be cleared", outcome: "the log is cleared",
      effect: "its records are removed"
    ) { damaged throws(SystemError) in
      try logAfter(damaged: damaged ?? [])
    } changing: { log in
      log.keep { domain != nil && $0.domain != domain }
    } lastLocked: { () throws(SystemError) in
      // Under the lock, because the next damaged log gets the name again.
      for name in domain == nil ? try damagedLogNames() : [] {
        do throws(SystemError) {
          try removeDirectory(name)
        } catch {
          failure = failure ?? (name, error)
        }
      }
    }
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
    let byteCount = try byteCount()
    try rewriteLog(
      failing: "the history cannot be written", outcome: "the log is written",
      effect: "commands beyond the bound are removed"
    ) {
      $0 == nil ? HistoryLog() : nil
    } changing: {
      _ = prune(&$0)
    }
    return try self.byteCount() < byteCount
  }

  /// Writes the log as a whole after a change, and removes the copies that no record needs then.
  ///
  /// - Parameters:
  ///   - failure: What it means that the log cannot be written, as a clause.
  ///   - outcome: What is done when the log is written, as a clause.
  ///   - effect: What has become of its records then, as a clause.
  ///   - makeLog: Makes a log where there is none, for nil, or in place of a damaged one's bytes; nil if that is to stay, with
  ///     all copies.
  ///   - change: Removes records from the log.
  ///   - lastLocked: Runs when the log is written, before other commands can use the history.
  private func rewriteLog(
    failing failure: String, outcome: String, effect: String,
    makingLog makeLog: (_ damaged: [UInt8]?) throws(SystemError) -> HistoryLog?,
    changing change: (inout HistoryLog) -> Void,
    lastLocked: () throws(SystemError) -> Void = {}
  ) throws(DatabaseError) {
    var isWritten = false
    var reader = HistoryLogReader(of: self)
    let unneeded = try working(failure, advice: isWritten ? effect : History.unchanged) {
      () throws(SystemError) -> [String]? in
      guard try exists() else { return [] }
      reader.prepare()
      return try changingLog { (lock) throws(SystemError) -> [String]? in
        let (found, status): (HistoryLog?, FileStatus?)
        switch try reader.read() {
        case .none: (found, status) = (try makeLog(nil), nil)
        case .log(let present): (found, status) = (present.log, present.status)
        case .damaged(let bytes, _, let present): (found, status) = (try makeLog(bytes), present)
        }
        guard var log = found else { return [] }
        change(&log)
        guard try replace(with: &log, over: status, in: lock) else { return nil }
        isWritten = true
        // They are among all copies that no record needs.
        _ = log.copies.takeAbandoned()
        reader.note(rewritten: log)
        try synchronizeDirectory()
        try lastLocked()
        return unneededCopies(of: log)
      }
    }
    guard let unneeded else {
      throw DatabaseError(.refused, path: path, message: History.changedAgain, advice: History.unchanged)
    }
    guard !unneeded.isEmpty else { return }
    try working("\(outcome), but not every copy of a file can be removed") { () throws(SystemError) in
      try remove(copies: unneeded, unneededBy: &reader)
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
