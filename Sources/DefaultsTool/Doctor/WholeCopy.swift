import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// A copy of a domain's file from a time when it was a property list.
enum WholeCopy {
  /// One in a snapshot.
  case snapshot(String)
  /// One that the history has, with its path and the number of the command that has left it so, or found it so.
  case history(path: String, command: Int)

  /// The newest copy in a snapshot, or else in the history; nil if there is none, or if that cannot be found out.
  init?(of domain: DomainName, in database: UserDatabase) {
    func isWhole(_ bytes: [UInt8]?) -> Bool {
      guard let bytes, case .dictionary? = try? database.propertyList(from: bytes, of: domain) else {
        return false
      }
      return true
    }
    let history = History(of: database)
    let snapshots = (try? history.allSnapshots()) ?? []
    for snapshot in snapshots.sorted(by: { $0.time.seconds > $1.time.seconds }) {
      let path = snapshot.files(of: database).path(of: domain)
      if isWhole(try? PropertyListFile.bytes(at: path, fileSystem: database.fileSystem)) {
        self = .snapshot(snapshot.name)
        return
      }
    }
    let records = (try? history.records()) ?? []
    for record in records.reversed() where record.domain == domain {
      for contents in [record.after, record.before] {
        if case .copy(let name) = contents, isWhole(try? history.bytes(of: contents)) {
          self = .history(path: "\(history.path)/\(name)", command: record.identifier)
          return
        }
      }
    }
    return nil
  }

  /// How the domain is got back from it.
  func advice(for domain: DomainName) -> String {
    let words = CommandText(domain: domain.text, escaping: \.breaksLines).operand
    let name = words.map { ShellWord.text($0) }.joined(separator: " ")
    return switch self {
    case .snapshot(let snapshot):
      "the snapshot “\(snapshot)” has it whole: “defaults restore \(snapshot) \(name)”"
    case .history(let path, let command):
      "the history has it whole, from the command \(command): “defaults import -replace \(name) \(ShellWord.text(path))”"
    }
  }
}
