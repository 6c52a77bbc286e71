import DefaultsDatabase
import DefaultsHistory

/// What an undo reads of a database and its history: each file once where memory allows, and no more of a domain again
/// and again than a bound.
///
/// Somebody can have a log that names the same domains and copies any number of times, and a domain's file that consists
/// of a hole, and the administrator would read them for hours.
final class UndoReading {
  private let database: UserDatabase
  private let history: History
  private let budget = ReadingBudget(byteCount: UndoReading.maximumByteCount)
  /// Whether the bound applies.
  var isBounded = true
  private var domains: [DomainName: PresentDomain] = [:]
  private var copies: [String: [UInt8]] = [:]
  /// How many bytes of each kind are kept.
  private var (domainsByteCount, copiesByteCount) = (0, 0)
  /// How often each domain was read or merged.
  private var counts: [DomainName: Int] = [:]

  /// A history of this package's takes a fraction of it.
  private static let maximumByteCount = 512 << 20
  /// What every undo of a change does with its domain, however large that is: to find the command, to look for what is
  /// in the way, and to rehearse it.
  private static let usualCount = 6
  private static let maximumKeptByteCount = 64 << 20
  /// The size from which a comparison takes longer than to look for the copy.
  private static let largeByteCount = 1 << 16

  init(of database: UserDatabase, _ history: History) {
    (self.database, self.history) = (database, history)
  }

  /// A domain as it was when it was read first, or lately where there are too many.
  func present(_ domain: DomainName) throws -> PresentDomain {
    if let present = domains[domain] { return present }
    let present = PresentDomain(domain, bytes: try database.bytes(of: domain), in: database)
    try count(present)
    if domainsByteCount + present.byteCount > UndoReading.maximumKeptByteCount {
      (domains, domainsByteCount) = ([:], 0)
    }
    domains[domain] = present
    domainsByteCount += present.byteCount
    return present
  }

  /// The bytes of a copy; nil if there was no file.
  func bytes(of contents: HistoryRecord.Contents) throws -> [UInt8]? {
    guard case .copy(let name) = contents else { return try history.bytes(of: contents) }
    if let bytes = copies[name] { return bytes }
    guard let bytes = try history.bytes(of: contents) else { return nil }
    try take(bytes.count)
    if copiesByteCount + bytes.count > UndoReading.maximumKeptByteCount {
      (copies, copiesByteCount) = ([:], 0)
    }
    copies[name] = bytes
    copiesByteCount += bytes.count
    return bytes
  }

  /// Whether a file has the same bytes as a copy.
  func areEqual(_ bytes: [UInt8]?, _ copy: [UInt8]?) throws -> Bool {
    guard bytes?.count == copy?.count else { return false }
    if let copy, copy.count > UndoReading.largeByteCount { try take(copy.count) }
    return bytes == copy
  }

  /// Counts that a domain is read, or merged, which takes as long.
  ///
  /// - Throws: an error of the code `refused` if that is too much.
  func count(_ present: PresentDomain) throws {
    counts[present.domain, default: 0] += 1
    if counts[present.domain, default: 0] > UndoReading.usualCount { try take(present.byteCount) }
  }

  private func take(_ byteCount: Int) throws {
    guard isBounded, !budget.allows(byteCount) else { return }
    throw CommandError(
      .refused,
      "\(history.path): to find out what can be taken back, more than \(UndoReading.maximumByteCount >> 20) MB would be "
        + "read; name the command by its number, and a domain; nothing was changed")
  }
}
