package import DefaultsDatabase
package import OpenStepPropertyList

/// One change of one domain's file by a command, with what is needed to take it back.
package struct HistoryRecord: Hashable, Sendable {
  /// What a file held.
  package enum Contents: Hashable, Sendable {
    /// There was no file.
    case none
    /// The bytes of a copy, by its name in the history.
    case copy(String)
    /// The file was not copied, because it was too large.
    case tooLarge
  }

  /// The number of the command; the records of one command have the same.
  package let identifier: Int
  /// When the command made the change.
  package let time: PropertyListDate
  /// The words of the command, without long ones.
  package var command: [String]
  /// The domain.
  package let domain: DomainName
  /// What the file held before the change.
  package let before: Contents
  /// Whether the file had a name without an extension before the change, under which it is to be put back.
  package var wasBare = false
  /// What the file held after the change.
  package let after: Contents
  /// The command that this one took back; nil for another command.
  package let undone: Int?

  /// Whether a copy is missing because a file was too large.
  package var isIncomplete: Bool { before == .tooLarge || after == .tooLarge }
}

extension HistoryRecord {
  /// This change and the next one of the same command in the same domain as one; nil if the other one is not that, or
  /// if another change may lie between them.
  package func joined(with next: HistoryRecord) -> HistoryRecord? {
    guard next.identifier == identifier, next.domain == domain, next.before == after, after != .tooLarge
    else {
      return nil
    }
    return HistoryRecord(
      identifier: identifier, time: time, command: command, domain: domain, before: before, wasBare: wasBare,
      after: next.after, undone: undone)
  }

  /// The numbers that a command can have.
  static let identifiers = 1...(Int.max / 2)

  /// Reads a record as ``entries(withWords:)`` has it; nil for other entries.
  init?(_ entries: [PropertyListKey: PropertyList], in dialect: DatabaseDialect) {
    guard let identifier = HistoryRecord.identifier(entries["Id"]), case .date(let time)? = entries["Time"],
      case .string(let name)? = entries["Domain"], let domain = try? DomainName(name, in: dialect),
      let before = Contents(entries["Before"]), let after = Contents(entries["After"])
    else { return nil }
    self.identifier = identifier
    self.time = time
    self.domain = domain
    self.before = before
    self.after = after
    // Records of older versions do not have it.
    wasBare = entries["Bare"] == .boolean(true)
    command =
      if case .array(let words)? = entries["Command"] {
        words.compactMap { if case .string(let word) = $0 { word } else { nil } }
      } else {
        []
      }
    undone = HistoryRecord.identifier(entries["Undone"])
  }

  /// A command's number; nil for another value.
  static func identifier(_ value: PropertyList?) -> Int? {
    guard case .integer(let number)? = value, let identifier: Int = number.exactly(),
      identifiers.contains(identifier)
    else { return nil }
    return identifier
  }

  /// The record as the entries of a property list.
  ///
  /// - Parameter hasWords: Whether it has the command's words, which only its first record needs.
  func entries(withWords hasWords: Bool) -> [PropertyListKey: PropertyList] {
    var entries: [PropertyListKey: PropertyList] = [
      "Id": .integer(PropertyListInteger(Int64(identifier))), "Time": .date(time),
      "Domain": .string(domain.text),
    ]
    if hasWords { entries["Command"] = .array(command.map { .string($0) }) }
    entries["Before"] = before.value
    entries["After"] = after.value
    if wasBare { entries["Bare"] = .boolean(true) }
    entries["Undone"] = undone.map { .integer(PropertyListInteger(Int64($0))) }
    return entries
  }

  /// The names of the copies that the record needs.
  var copies: [String] {
    [before, after].compactMap { if case .copy(let name) = $0 { name } else { nil } }
  }

  /// Whether a file's name is a copy's: two numbers and a word, such as `12.0.before`.
  static func isCopy(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2].elementsEqual("before".utf8) || parts[2].elementsEqual("after".utf8)
    else { return false }
    return parts[..<2].allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
  }

  /// The number of the command to which a copy of a name belongs; nil for another name.
  static func identifier(ofCopy name: String) -> Int? {
    guard isCopy(name), let number = Int(name.prefix { $0 != "." }), identifiers.contains(number) else {
      return nil
    }
    return number
  }
}

extension FileTime {
  /// The same time, to less than a microsecond, so that a record is told from what a file got within the same second.
  var date: PropertyListDate {
    // Computed as floating point, because a file system may keep any time, and integers could overflow.
    PropertyListDate(secondsSinceReferenceDate: Double(seconds) - 978_307_200 + Double(nanoseconds) / 1e9)
  }
}

extension HistoryRecord.Contents {
  /// Nothing stands for no file, a string for a copy's name, and a truth value for a file that is too large.
  fileprivate init?(_ value: PropertyList?) {
    switch value {
    case nil: self = .none
    case .string(let name)? where HistoryRecord.isCopy(name): self = .copy(name)
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
