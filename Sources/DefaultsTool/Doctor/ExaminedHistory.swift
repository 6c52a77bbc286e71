import DefaultsDatabase
import DefaultsHistory

/// The history's snapshots, and its records by their domains, read once for all damaged domains.
final class ExaminedHistory {
  let history: History
  /// For the copies of changes; one of its own, so that large snapshots leave room for them.
  let budget = ReadingBudget()
  private lazy var byDomain = Dictionary(grouping: (try? history.records()) ?? [], by: \.domain)
  /// The snapshots, the newest first; none if they cannot be listed.
  private(set) lazy var snapshots = ((try? history.allSnapshots()) ?? []).sorted {
    $0.time.seconds > $1.time.seconds
  }

  init(of database: UserDatabase) {
    history = History(of: database)
  }

  /// The records of a domain, the oldest first; none if they cannot be read.
  func records(of domain: DomainName) -> [HistoryRecord] { byDomain[domain] ?? [] }
}
