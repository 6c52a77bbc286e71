import DefaultsDatabase

/// A reader that is fed any bytes, and the properties that must hold whatever they are.
///
/// A check traps where one does not: that is what the fuzzer looks for, and what ends a test.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// Texts of all dialects, and the writer in all styles.
  case text
  /// Texts that are edited.
  case edit
  /// Damaged texts of which entries are rescued.
  case rescue
  /// Scalars with type notes behind them.
  case notes
  /// XML.
  case xml
  /// Binary property lists.
  case binary
  /// JSON.
  case json
  /// A process's arguments, separated by NUL.
  case arguments
  /// What `defaults write` and `defaults delete` read from standard input.
  case batch
  /// Archives of URLs.
  case url

  /// Feeds the reader, and traps if a property does not hold.
  public func check(_ bytes: [UInt8]) {
    switch self {
    case .text: TextCheck.check(bytes)
    case .edit: EditCheck.check(bytes)
    case .rescue: RescueCheck.check(bytes)
    case .notes: NotesCheck.check(bytes)
    case .xml: FormatCheck.check(bytes, as: .xml)
    case .binary: BinaryCheck.check(bytes)
    case .json: JSONCheck.check(bytes)
    case .arguments: ArgumentsCheck.check(bytes)
    case .batch: BatchCheck.check(bytes)
    case .url: URLCheck.check(bytes)
    }
  }
}
