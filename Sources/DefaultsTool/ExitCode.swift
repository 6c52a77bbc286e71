/// How a run of the `defaults` tool ended.
package enum ExitCode: Int32, CaseIterable, Sendable {
  /// Everything that was asked for is done.
  case done = 0
  /// The arguments or the standard input are not valid for the command; nothing was done.
  case usage = 1
  /// There is no such domain, no file in its place, or no such key, snapshot or entry of the history.
  case absent = 2
  /// The database or a format refuses the request, or another process holds the lock.
  case refused = 3
  /// A file is not a property list, and keeps every byte; or `torture` found a broken promise.
  case damaged = 4
  /// The system could not read or write, or a file to read is not there.
  case inputOutput = 5
  /// What was compared differs, or cannot be brought together: the answer is no.
  case differs = 6
  /// `merge` could not read or write OURS; git takes a code above 128 for a failure.
  case unwritten = 133

  /// The description of the code in `help`.
  var summary: String {
    switch self {
    case .done: "done"
    case .usage: "usage: wrong arguments or standard input; nothing was done"
    case .absent: "no such domain or file in its place, key, snapshot or history entry"
    case .refused: "refused: name, user, lock, managed key, container, or what a format cannot hold"
    case .damaged: "damaged data: the file keeps every byte"
    case .inputOutput: "input or output failed, or a file to read is not there"
    case .differs: "differs or conflicts: the answer is no"
    case .unwritten: "“merge” could not read or write OURS, which is as it was"
    }
  }
}

extension ExitCode: Comparable {
  /// Orders codes by severity; of several failures the most severe one is the exit code.
  package static func < (left: ExitCode, right: ExitCode) -> Bool {
    left.weight < right.weight
  }

  private var weight: Int {
    switch self {
    case .done: 0
    case .usage: 1
    case .absent: 2
    case .differs: 3
    case .refused: 4
    case .damaged: 5
    case .inputOutput: 6
    case .unwritten: 7
    }
  }
}
