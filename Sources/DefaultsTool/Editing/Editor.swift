import DefaultsDatabase

/// The program with which a person edits a text.
struct Editor {
  /// The command, for the shell.
  let command: String

  /// How an editing ended.
  enum Outcome: Hashable {
    case done
    /// The editor gives the work up.
    case failed
    /// There is no such program.
    case absent
  }

  /// The editor that the environment names: `VISUAL`, `EDITOR`, or else `vi`.
  init(environment: EnvironmentLookup) throws {
    for variable in ["VISUAL", "EDITOR"] {
      if let command = try environment(variable), command.utf8.contains(where: { $0 != 0x20 }) {
        self.command = command
        return
      }
    }
    command = "vi"
  }

  /// Has a file edited, and waits for the end.
  ///
  /// - Parameter line: Where the cursor is to be, for the editors that know `+LINE`; nil for their own place.
  func edit(_ path: String, at line: Int?) throws(SystemError) -> Outcome {
    let place = line.map { knowsLines ? " +\($0)" : "" } ?? ""
    let ending = try ForegroundProcess.run("/bin/sh", ["-c", "\(command)\(place) \"$1\"", "sh", path])
    switch ending {
    case .status(0): return .done
    // What a shell gives for a program that it does not find, or may not run.
    case .status(126), .status(127): return .absent
    case .status, .signal: return .failed
    }
  }

  private var knowsLines: Bool {
    let word = command.split(separator: " ").first ?? ""
    return ["vi", "vim", "nvim", "nano", "emacs", "emacsclient"].contains(PathNames.last(in: String(word)))
  }
}
