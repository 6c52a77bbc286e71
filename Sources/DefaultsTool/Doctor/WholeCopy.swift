import DefaultsDatabase
import DefaultsHistory
import OpenStepPropertyList

/// A copy of a domain's file from a time when it was a property list.
enum WholeCopy {
  /// One in a snapshot.
  case snapshot(String)
  /// One that the history has, with its path and the number of the command that has left it so, or found it so.
  case history(path: String, command: Int, comments: Comments, isWindowMakers: Bool)

  /// Whether a copy has comments, which no import carries.
  enum Comments {
    case none
    /// Those of a text, which an editor keeps.
    case inText
    case inXML
  }

  /// The newest copy in a snapshot, or else in the history; nil if there is none, or if that cannot be found out.
  ///
  /// - Parameters:
  ///   - records: The domain's records in the history; read from there if they are not known.
  ///   - budget: How much of the snapshots is read; a larger file is passed over.
  init?(
    of domain: DomainName, in database: UserDatabase, records: [HistoryRecord]? = nil,
    reading budget: ReadingBudget
  ) {
    func isWhole(_ bytes: [UInt8]?) -> Bool {
      guard let bytes, case .dictionary? = try? database.propertyList(from: bytes, of: domain) else {
        return false
      }
      return true
    }
    let history = History(of: database)
    let snapshots = (try? history.allSnapshots()) ?? []
    for snapshot in snapshots.sorted(by: { $0.time.seconds > $1.time.seconds }) {
      let files = snapshot.files(of: database)
      if budget.allows(domain, of: files), isWhole(try? files.bytes(of: domain)) {
        self = .snapshot(snapshot.name)
        return
      }
    }
    let records = records ?? (try? history.records()) ?? []
    for record in records.reversed() where record.domain == domain {
      for contents in [record.after, record.before] {
        guard case .copy(let name) = contents, let bytes = try? history.bytes(of: contents), isWhole(bytes)
        else { continue }
        let isText = DomainFileFormat(recognising: bytes) == .openStep
        self = .history(
          path: "\(history.path)/\(name)", command: record.identifier,
          comments: !PropertyList.hasComments(bytes) ? .none : isText ? .inText : .inXML,
          isWindowMakers: isText && database.isWindowMakers(domain))
        return
      }
    }
    return nil
  }

  /// How the domain is got back from it, by a command about the same database.
  func advice(for domain: DomainName, in context: CommandContext) -> String {
    let operand = CommandText(domain: domain.text, escaping: \.breaksLines).operand
    func command(_ words: [String]) -> String {
      (["defaults"] + context.databaseOptions + words).map { ShellWord.portable($0) }.joined(separator: " ")
    }
    switch self {
    case .snapshot(let snapshot):
      return "the snapshot “\(snapshot)” has it whole: “\(command(["restore", snapshot] + operand))”"
    case .history(let path, let number, let comments, let isWindowMakers):
      let kind = isWindowMakers ? ["-from", "windowmaker"] : []
      let importing = command(["import", "-replace"] + kind + operand + [path])
      let copy = "the history has it whole, from the command \(number): "
      return switch comments {
      case .none: "\(copy)“\(importing)”"
      // What the editor leaves is saved byte for byte, under the lock and with an entry in the history.
      case .inText where context.user == nil || CurrentProcess.effectiveUser != 0:
        "\(copy)“VISUAL=\(ShellWord.portable("cp " + ShellWord.portable(path))) \(command(["edit"] + operand))”"
      // The shell would run the editor with the administrator's rights on a path that the user can redirect.
      case .inText, .inXML: "\(copy)“\(importing)”, which leaves its comments out"
      }
    }
  }
}
