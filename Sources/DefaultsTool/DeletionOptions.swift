/// The options of the verbs that remove something.
struct DeletionOptions {
  /// Whether to change nothing, and only to show what would be done.
  private(set) var isRehearsal = false
  /// Whether what is not there is no error.
  private(set) var ignoresAbsence = false

  /// Takes the options from a verb's words.
  init(_ words: inout CommandWords) throws {
    while let option = try words.option() {
      switch option {
      case "-n", "-dry-run": isRehearsal = true
      case "-f": ignoresAbsence = true
      default: throw words.unknown(option)
      }
    }
  }

  /// Runs a body, of which an error of the code `absent` does not count if absence is ignored.
  func ignoringAbsence(_ body: () throws -> Void) throws -> ExitCode {
    do {
      try body()
    } catch let error as CommandError where error.code == .absent && ignoresAbsence {
      return .done
    }
    return .done
  }
}
