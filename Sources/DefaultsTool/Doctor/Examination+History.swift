import DefaultsDatabase
import DefaultsHistory

/// The findings about the history.
extension Examination {
  func historyFindings() -> [Finding] {
    let history = History(of: database)
    var found = findings { try rightsFindings(of: history) }
    var isReadable = true
    do throws(DatabaseError) {
      _ = try history.records()
    } catch  where error.kind == .damaged {
      isReadable = false
      found.append(Finding(.error, "\(error); the next command begins a new one"))
    } catch {
      return found + [Finding(failure: error)]
    }
    found += findings { try sizeFindings(of: history, isReadable: isReadable) }
    return found
      + findings {
        try history.damagedLogs().map { place in
          Finding(
            .note,
            "\(place): is a damaged log of the history with its copies; look what it holds, and remove it")
        }
      }
  }

  private func rightsFindings(of history: History) throws -> [Finding] {
    guard let status = try database.status(at: history.path, followingLinks: false),
      status.kind == .directory, status.mode & 0o077 != 0
    else { return [] }
    let mode = String(status.mode & 0o777, radix: 8)
    return [
      Finding(.warning, "\(history.path): others may look into it, mode \(mode); \(advisedPrivacy) ends that")
      {
        try history.makePrivate()
        return ["\(history.path): is its owner's alone"]
      }
    ]
  }

  private func sizeFindings(of history: History, isReadable: Bool) throws -> [Finding] {
    let size = try history.byteCount()
    // The newest command may take as much as all others.
    guard size > 2 * History.maximumByteCount else { return [] }
    var finding = Finding(
      .warning,
      "\(history.path): takes \(size) bytes, more than it should; look for what no command has put there")
    // Which copies are needed, only the log tells.
    if isReadable {
      finding.repair = {
        try history.prune() ? ["\(history.path): takes \(try history.byteCount()) bytes"] : []
      }
    }
    return [finding]
  }
}
