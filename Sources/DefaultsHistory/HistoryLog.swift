import DefaultsDatabase
import OpenStepPropertyList

/// The log of a history: a property list a line, to which lines are added.
///
/// A line is a record, or has the highest number that a command has had: `{Last = 12 /*integer*/; }`. So no number is
/// given twice after the newest records were removed. What follows the last line end was not written completely,
/// and does not count.
///
/// A record's line can remove the record before it of the same domain: `Replaces = YES /*boolean*/;`. So a change that
/// was not made is forgotten in the same step in which the next one is recorded, without writing the whole file. A
/// version that does not know that takes the former change for one that was made and put back.
struct HistoryLog: Sendable {
  /// The records in the order of their lines; nil for one that was removed and whose line is still in the file.
  private var lines: [HistoryRecord?] = []
  /// The highest number that a command has had.
  private(set) var highest = 0
  /// Whether the file ends with a line end, so that a line can be added.
  private(set) var isWhole = true
  /// The size of the file.
  private(set) var byteCount = 0
  /// The places of each domain's records, the newest last.
  private var places: [DomainName: [Int]] = [:]
  private static let replaces: PropertyListKey = "Replaces"
  /// How large a log can become, in bytes: the newest command may take as much as all before it, and the commands before
  /// may leave lines of removed records.
  static let maximumByteCount = 3 * History.maximumByteCount

  /// Makes a log without records.
  ///
  /// - Parameter highest: The highest number that a command has had.
  init(after highest: Int = 0) {
    self.highest = highest
  }

  /// How many lines of a damaged log are read, and the size of the smallest line with a number. Somebody can have a log of
  /// millions of lines that are no record, each of which makes an error.
  private static let (damagedLineCount, smallestLineByteCount) = (10_000, "{Last=1;}".utf8.count)

  /// The highest number in the last lines of a damaged log that can be read; 0 for none. Later lines have higher numbers.
  static func highestNumber(inDamaged bytes: [UInt8]) -> Int {
    var (highest, count) = (0, 0)
    var rest = bytes[...]
    while count < damagedLineCount, !rest.isEmpty {
      let end = rest.endIndex
      let start = rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.startIndex
      rest = rest[..<max(rest.startIndex, start - 1)]
      guard (smallestLineByteCount...History.maximumByteCount).contains(end - start) else { continue }
      count += 1
      guard
        let value = try? OpenStepFormat.propertyList(from: Array(bytes[start..<end]), options: .domainFile),
        case .dictionary(let entries) = value
      else { continue }
      let number = HistoryRecord.identifier(entries["Id"]) ?? HistoryRecord.identifier(entries["Last"])
      highest = max(highest, number ?? 0)
    }
    return highest
  }

  /// Reads a log's file.
  ///
  /// - Throws: the reason if a line is no record, or if there are too many bytes.
  init(_ bytes: [UInt8], in dialect: DatabaseDialect) throws(FormatError) {
    guard bytes.count <= HistoryLog.maximumByteCount else {
      throw FormatError("is larger than \(HistoryLog.maximumByteCount >> 20) MB")
    }
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
      if entries[HistoryLog.replaces] == .boolean(true) { removeLatest(of: record.domain) }
      insert(record)
    }
    isWhole = rest.isEmpty
  }

  /// The records, the oldest first.
  ///
  /// - Complexity: linear in their number.
  var records: [HistoryRecord] { lines.compactMap(\.self) }

  /// How many lines of the file are records, with those that were removed.
  var lineCount: Int { lines.count }

  /// Whether the file has lines of records that were removed, with which their copies stay.
  ///
  /// - Complexity: linear in the number of records.
  var hasRemovedRecords: Bool { lines.contains(nil) }

  /// The newest record of a domain.
  func latest(of domain: DomainName) -> HistoryRecord? {
    places[domain]?.last.flatMap { lines[$0] }
  }

  private mutating func insert(_ record: HistoryRecord) {
    places[record.domain, default: []].append(lines.count)
    lines.append(record)
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
    (lines, places) = ([], [:])
    for record in kept { insert(record) }
  }

  /// Removes the newest record of a domain; its line stays until the file is written as a whole, unless the next
  /// record's line removes it.
  mutating func removeLatest(of domain: DomainName) {
    guard let place = places[domain]?.popLast() else { return }
    lines[place] = nil
  }

  /// The bytes of the whole file, which the log stands for from now on.
  mutating func rewrite() -> [UInt8] {
    keep { _ in true }
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
  ///
  /// - Parameters:
  ///   - hasWords: Whether it has the command's words.
  ///   - replaces: Whether it removes the record before it of the domain.
  static func line(
    of record: HistoryRecord, withWords hasWords: Bool, replacingLatest replaces: Bool = false
  ) -> [UInt8] {
    var entries = record.entries(withWords: hasWords)
    if replaces { entries[HistoryLog.replaces] = .boolean(true) }
    return line(.dictionary(entries))
  }

  private static func line(_ value: PropertyList) -> [UInt8] {
    // It has only what text can hold; a line that had not would be found as a damaged one.
    Array(((try? value.text(style: .oneLine)) ?? "").utf8) + [UInt8(ascii: "\n")]
  }
}
