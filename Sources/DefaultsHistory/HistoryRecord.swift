package import OpenStepPropertyList

/// One change of one domain's file by a command, with what is needed to take it back.
package struct HistoryRecord: Hashable, Sendable {
  /// What a file held.
  package enum Contents: Hashable, Sendable {
    /// There was no file.
    case none
    /// The bytes of a copy, by its name in the history.
    case copy(String)
    /// The file was too large to be copied.
    case tooLarge
  }

  /// The number of the command; the records of one command have the same.
  package let identifier: Int
  /// When the command made the change.
  package let time: PropertyListDate
  /// The words of the command, without very long ones.
  package let command: [String]
  /// The domain's name.
  package let domain: String
  /// What the file held before the change.
  package var before: Contents
  /// What the file held after the change.
  package let after: Contents
  /// The command that this one took back; nil for another command.
  package let undone: Int?
}

extension HistoryRecord {
  /// Reads a record as ``value`` has it; nil for another value.
  init?(_ value: PropertyList) {
    guard case .dictionary(let entries) = value,
      case .integer(let identifier)? = entries["Id"], case .date(let time)? = entries["Time"],
      case .array(let words)? = entries["Command"], case .string(let domain)? = entries["Domain"],
      let before = Contents(entries["Before"]), let after = Contents(entries["After"])
    else { return nil }
    self.identifier = identifier.exactly() ?? 0
    self.time = time
    command = words.compactMap { if case .string(let word) = $0 { word } else { nil } }
    self.domain = domain
    self.before = before
    self.after = after
    if case .integer(let number)? = entries["Undone"] { undone = number.exactly() } else { undone = nil }
  }

  /// The record as a property list.
  var value: PropertyList {
    var entries: [PropertyListKey: PropertyList] = [
      "Id": .integer(PropertyListInteger(Int64(identifier))), "Time": .date(time),
      "Command": .array(command.map { .string($0) }), "Domain": .string(domain),
    ]
    entries["Before"] = before.value
    entries["After"] = after.value
    entries["Undone"] = undone.map { .integer(PropertyListInteger(Int64($0))) }
    return .dictionary(entries)
  }

  /// The names of the copies that the record needs.
  var copies: [String] {
    [before, after].compactMap { if case .copy(let name) = $0 { name } else { nil } }
  }
}

extension HistoryRecord.Contents {
  /// Nothing stands for no file, a string for a copy's name, and a truth value for a file that is too large.
  fileprivate init?(_ value: PropertyList?) {
    switch value {
    case nil: self = .none
    case .string(let name)?: self = .copy(name)
    case .boolean?: self = .tooLarge
    default: return nil
    }
  }

  fileprivate var value: PropertyList? {
    switch self {
    case .none: nil
    case .copy(let name): .string(name)
    case .tooLarge: .boolean(true)
    }
  }
}
