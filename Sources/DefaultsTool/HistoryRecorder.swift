import DefaultsDatabase
import DefaultsHistory

/// Records what one command changes in the database's history.
final class HistoryRecorder: Sendable {
  /// The environment variable with which the history is switched off.
  static let environmentVariable = "DEFAULTS_HISTORY"
  /// The size above which a word of the command is left out.
  private static let maximumWordByteCount = 200

  private struct State {
    var identifier: Int?
    var undone: Int?
    var failure: DatabaseError?
  }

  private let command: [String]
  private let isOn: Bool
  private let state = Lock(State())

  /// Makes the recorder of a command line.
  init(_ command: [String], environment: EnvironmentLookup) throws {
    self.command = command.map { $0.utf8.count > HistoryRecorder.maximumWordByteCount ? "…" : $0 }
    isOn = try environment(HistoryRecorder.environmentVariable) != "off"
  }

  /// Why the history could not be written; nil if it was.
  var failure: DatabaseError? { state.withLock { $0.failure } }

  /// Makes the command one that takes back another.
  func takeBack(_ identifier: Int) {
    state.withLock { $0.undone = identifier }
  }

  /// What is called before a domain's file of a history's database is changed; nil if the history is off.
  func hook(
    of history: History
  ) -> (@Sendable (DomainName, _ before: [UInt8]?, _ after: [UInt8]?) -> Void)? {
    guard isOn else { return nil }
    return { [self] domain, before, after in
      state.withLock { state in
        let change = History.Change(domain: domain.text, before: before, after: after)
        do throws(DatabaseError) {
          try history.append(change, of: &state.identifier, command: command, undoing: state.undone)
        } catch {
          state.failure = error
        }
      }
    }
  }
}
