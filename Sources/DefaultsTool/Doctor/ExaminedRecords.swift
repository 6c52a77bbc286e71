import DefaultsDatabase
import DefaultsHistory

/// The history's records by their domains, read once for all damaged domains.
final class ExaminedRecords {
  private let history: History
  private lazy var byDomain = Dictionary(grouping: (try? history.records()) ?? [], by: \.domain)

  init(of database: UserDatabase) {
    history = History(of: database)
  }

  /// The records of a domain, the oldest first; none if they cannot be read.
  func of(_ domain: DomainName) -> [HistoryRecord] { byDomain[domain] ?? [] }
}
