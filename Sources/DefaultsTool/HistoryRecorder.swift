import DefaultsDatabase
import DefaultsHistory

/// Records what one command changes in the database's history.
final class HistoryRecorder: Sendable {
  /// The environment variable with which the history is switched off.
  static let environmentVariable = "DEFAULTS_HISTORY"
  /// The size above which a word of the command is left out.
  private static let maximumWordByteCount = 200

  /// How many bytes of words are kept at most.
  private static let maximumCommandByteCount = 1024

  private struct State {
    var undone: Int?
    var writer: HistoryWriter?
    var failure: DatabaseError?
  }

  private let command: [String]
  private let isOn: Bool
  private let state = Lock(State())

  /// Makes the recorder of a command line.
  init(_ command: [String], environment: EnvironmentLookup) throws {
    self.command = HistoryRecorder.abridged(command)
    isOn = try environment(HistoryRecorder.environmentVariable) != "off"
  }

  /// The words without long ones, and without those that are too many.
  private static func abridged(_ words: [String]) -> [String] {
    var kept: [String] = []
    var byteCount = 0
    for word in words {
      let word = word.utf8.count > maximumWordByteCount ? "…" : word
      byteCount += word.utf8.count + 1
      guard byteCount <= maximumCommandByteCount else { return kept + ["…"] }
      kept.append(word)
    }
    return kept
  }

  /// What is to be said about the history: that its log was damaged, that it has no room for all copies, and why it could not
  /// be written.
  var remarks: [DatabaseError] {
    state.withLock { [$0.writer?.movedAside, $0.writer?.shortage, $0.failure].compactMap(\.self) }
  }

  /// Removes what the history needs no more; the command's last step.
  func finish() {
    state.withLock { $0.writer?.finish() }
  }

  /// Makes the command one that takes back another.
  func takeBack(_ identifier: Int) {
    state.withLock { $0.undone = identifier }
  }

  /// What is called where a domain's file of a history's database is changed; nil if the history is off.
  ///
  /// After a failure the rest of the command is not recorded: each domain would wait for the same lock.
  func hook(
    of history: History
  ) -> (@Sendable (DomainName, FileChange) -> Void)? {
    guard isOn else { return nil }
    return { [self] domain, change in
      state.withLock { state in
        guard state.failure == nil else { return }
        var writer = state.writer ?? HistoryWriter(to: history, command: command, undoing: state.undone)
        // Moved, so that the log that it holds is not copied.
        state.writer = nil
        do throws(DatabaseError) {
          switch change {
          case .isPlanned: writer.prepare()
          case .begins(let before, let after): try writer.append(domain, before: before, after: after)
          case .wasNotMade: try writer.withdraw(domain)
          }
        } catch {
          state.failure = error
        }
        state.writer = writer
      }
    }
  }
}
