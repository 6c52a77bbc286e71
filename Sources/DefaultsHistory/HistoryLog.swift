import DefaultsDatabase
import OpenStepPropertyList

/// The log of a history: a property list a line, to which lines are added.
///
/// A line is a record, or has the highest number that a command has had: `{Last = 12 /*integer*/; }`. So no number is
/// given twice after the newest records were removed. What follows the last line end was not written completely,
/// and does not count.
struct HistoryLog: Sendable {
  /// The records, the oldest first.
  private(set) var records: [HistoryRecord] = []
  /// The highest number that a command has had.
  private(set) var highest = 0
  /// Whether the file ends with a line end, so that a line can be added.
  private(set) var isWhole = true
  /// The size of the file.
  private(set) var byteCount = 0
  /// The place of each domain's newest record.
  private var newest: [DomainName: Int] = [:]

  /// Makes a log without records.
  ///
  /// - Parameter highest: The highest number that a command has had.
  init(after highest: Int = 0) {
    self.highest = highest
  }

  /// The highest number in the lines of a damaged log that can be read; 0 for none.
  static func highestNumber(inDamaged bytes: [UInt8]) -> Int {
    let numbers = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line -> Int? in
      guard let value = try? OpenStepFormat.propertyList(from: Array(line), options: .domainFile),
        case .dictionary(let entries) = value
      else { return nil }
      return HistoryRecord.identifier(entries["Id"]) ?? HistoryRecord.identifier(entries["Last"])
    }
    return numbers.max() ?? 0
  }

  /// Reads a log's file.
  ///
  /// - Throws: the reason if a line is no record.
  init(_ bytes: [UInt8], in dialect: DatabaseDialect) throws(FormatError) {
    byteCount = bytes.count
    var words: [Int: [String]] = [:]
    var number = 0
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      number += 1
      let line = Array(rest[..<end])
      rest = rest[(end + 1)...]
      guard let value = try? OpenStepFormat.propertyList(from: line, options: .domainFile),
        case .dictionary(let entries) = value
      else { throw FormatError("line \(number) is no record") }
      if let last = HistoryRecord.identifier(entries["Last"]) {
        highest = max(highest, last)
        continue
      }
      guard var record = HistoryRecord(entries, in: dialect) else {
        throw FormatError("line \(number) is no record")
      }
      if record.command.isEmpty {
        record.command = words[record.identifier] ?? []
      } else {
        words[record.identifier] = record.command
      }
      insert(record)
    }
    isWhole = rest.isEmpty
  }

  /// The newest record of a domain.
  func latest(of domain: DomainName) -> HistoryRecord? {
    newest[domain].map { records[$0] }
  }

  private mutating func insert(_ record: HistoryRecord) {
    newest[record.domain] = records.count
    records.append(record)
    highest = max(highest, record.identifier)
  }

  /// Adds a record whose line was added to the file.
  mutating func add(_ record: HistoryRecord, byteCount: Int) {
    insert(record)
    self.byteCount += byteCount
  }

  /// Removes all records but some; the file has to be written as a whole then.
  mutating func keep(where isKept: (HistoryRecord) -> Bool) {
    let kept = records.filter(isKept)
    (records, newest) = ([], [:])
    for record in kept { insert(record) }
  }

  /// Removes the newest record of a domain.
  mutating func removeLatest(of domain: DomainName) {
    guard let place = newest[domain] else { return }
    records.remove(at: place)
    keep { _ in true }
  }

  /// The bytes of the whole file, which the log stands for from now on.
  mutating func rewrite() -> [UInt8] {
    var bytes: [UInt8] = []
    if highest > 0 {
      bytes += HistoryLog.line(["Last": .integer(PropertyListInteger(Int64(highest)))])
    }
    var seen: Set<Int> = []
    for record in records {
      bytes += HistoryLog.line(of: record, withWords: seen.insert(record.identifier).inserted)
    }
    (byteCount, isWhole) = (bytes.count, true)
    return bytes
  }

  /// The line of a record.
  static func line(of record: HistoryRecord, withWords hasWords: Bool) -> [UInt8] {
    line(record.value(withWords: hasWords))
  }

  private static func line(_ value: PropertyList) -> [UInt8] {
    // It has only what text can hold; a line that had not would be found as a damaged one.
    Array(((try? value.text(style: .oneLine)) ?? "").utf8) + [UInt8(ascii: "\n")]
  }
}
