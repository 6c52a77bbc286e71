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
    /// Those of a text in a place where no other user can exchange it: an editor keeps them.
    case kept
    case leftOut
  }

  /// The newest copy in a snapshot, or else in the history; nil if there is none, or if that cannot be found out.
  ///
  /// - Parameter budget: How much of snapshots is read; a larger file is passed over.
  /// - Complexity: linear in the number of snapshots and of the domain's records, besides what that budget and the
  ///   history's allow.
  init?(
    of domain: DomainName, in database: UserDatabase, _ examined: ExaminedHistory,
    reading budget: ReadingBudget
  ) {
    func isWhole(_ bytes: [UInt8]?) -> Bool {
      guard let bytes, case .dictionary? = try? database.propertyList(from: bytes, of: domain) else {
        return false
      }
      return true
    }
    for snapshot in examined.snapshots where !budget.isSpent {
      let files = snapshot.files(of: database)
      if budget.allows(domain, of: files), isWhole(try? files.bytes(of: domain)) {
        self = .snapshot(snapshot.name)
        return
      }
    }
    var seen: Set<String> = []
    for record in examined.records(of: domain).reversed() {
      for contents in [record.after, record.before] {
        guard case .copy(let name) = contents, seen.insert(name).inserted else { continue }
        if examined.budget.isSpent { return nil }
        guard let bytes = try? examined.history.bytes(of: contents) else {
          examined.budget.countLook()
          continue
        }
        guard examined.budget.allows(bytes.count) else { return nil }
        guard isWhole(bytes) else { continue }
        let isText = DomainFileFormat(recognising: bytes) == .openStep
        let keepsComments = isText && FileRights.isOwn(examined.history.path, fileSystem: database.fileSystem)
        self = .history(
          path: "\(examined.history.path)/\(name)", command: record.identifier,
          comments: !PropertyList.hasComments(bytes) ? .none : keepsComments ? .kept : .leftOut,
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
      // What the editor leaves is saved byte for byte, under the lock and with an entry in the history. The editor runs
      // with all rights of the person who pastes the command: another user who could exchange the copy for a link would
      // have that person's files copied into the domain. An import reads it with that user's rights.
      case .kept:
        "\(copy)“VISUAL=\(ShellWord.portable("cp " + ShellWord.portable(path))) \(command(["edit"] + operand))”"
      case .leftOut: "\(copy)“\(importing)”, which leaves its comments out"
      }
    }
  }
}
