import DefaultsDatabase
import OpenStepPropertyList

/// The log of a history: a property list a line, to which lines are added.
///
/// A line is a record, or has the highest number that a command has had: `{Last = 12 /*integer*/; }`. So no number is
/// given twice after the newest records were removed. What follows the last line end was not written completely, and does
/// not count.
///
/// A record's line can remove records before it. `Replaces = YES /*boolean*/;` removes the one before it of the same domain:
/// so a change that was not made is forgotten in the same step in which the next one is recorded. `First = 58 /*integer*/;`
/// removes those of all commands below 58, which the history has no room for any more. So a long file is written as a whole
/// only when a large part of its lines is without use, or when it has no room (an append-only log with amortized
/// compaction): what a command does under the database's lock does not grow with the number of records. A version that does
/// not know these entries takes a change that was not made for one that was made and put back, and removes the oldest
/// commands itself.
struct HistoryLog: Sendable {
  private struct Command {
    /// The places of its records, also of removed ones.
    var places: [Int] = []
    /// How many of them are not removed.
    var recordCount = 0
    /// How many bytes the lines of these take.
    var byteCount = 0
  }

  private struct Line {
    let record: HistoryRecord
    let byteCount: Int
  }

  /// The records in the order of their lines; nil for one that was removed and whose line is still in the file.
  private var lines: [Line?] = []
  /// How many records are not removed.
  private var recordCount = 0
  /// The highest number that a command has had.
  private(set) var highest = 0
  /// Whether another command can have a number; false where a person has written the greatest one.
  var hasNextNumber: Bool { HistoryRecord.identifiers.contains(highest + 1) }
  /// The size of the file.
  private(set) var byteCount = 0
  /// The size of the file's lines, without what follows the last line end.
  private(set) var lineByteCount = 0
  /// The end of these lines, by which a file that has grown is known again: a person may have written other lines into it.
  private(set) var tail: [UInt8] = []
  private static let tailByteCount = 512
  /// How many lines the file has.
  private var lineCount = 0
  /// The places of each domain's records, the newest last, also of removed ones.
  private var places: [DomainName: [Int]] = [:]
  private var commands: [Int: Command] = [:]
  /// The numbers of these commands.
  private var numbers = MinimumHeap()
  /// Each command's words, which only the first of its records has in the file.
  private var words: [Int: [String]] = [:]
  /// The copies that the records need.
  var copies = HistoryCopies()
  private static let (replaces, first): (PropertyListKey, PropertyListKey) = ("Replaces", "First")
  /// How large a log can become, in bytes: the newest command may take as much as all before it, and the commands before
  /// may leave lines of removed records.
  static let maximumByteCount = 3 * History.maximumByteCount

  /// Makes a log without records.
  ///
  /// - Parameter highest: The highest number that a command has had, of which no record is left; 0 for none.
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
    try read(bytes, in: dialect)
  }

  /// Reads what other commands have added to the file.
  ///
  /// - Parameter bytes: What follows the lines that were read, to the file's end.
  /// - Throws: the reason if a line is no record, or if there are too many bytes.
  mutating func read(_ bytes: [UInt8], in dialect: DatabaseDialect) throws(FormatError) {
    byteCount = lineByteCount + bytes.count
    guard byteCount <= HistoryLog.maximumByteCount else {
      throw FormatError("is larger than \(HistoryLog.maximumByteCount >> 20) MB")
    }
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lineCount += 1
      guard let value = try? OpenStepFormat.propertyList(from: Array(rest[..<end]), options: .domainFile),
        case .dictionary(let entries) = value,
        read(entries, byteCount: end + 1 - rest.startIndex, in: dialect)
      else { throw FormatError("line \(lineCount) is no record") }
      rest = rest[(end + 1)...]
    }
    lineByteCount = byteCount - rest.count
    noteTail(bytes[..<rest.startIndex])
    // The commands that have removed records have removed the copies, too; those of one that was killed before are found
    // among the files.
    _ = copies.takeAbandoned()
  }

  /// Reads one line; false if it is no record.
  private mutating func read(
    _ entries: [PropertyListKey: PropertyList], byteCount: Int, in dialect: DatabaseDialect
  ) -> Bool {
    if let last = HistoryRecord.identifier(entries["Last"]) {
      highest = max(highest, last)
      return true
    }
    guard var record = HistoryRecord(entries, in: dialect) else { return false }
    if record.command.isEmpty { record.command = words[record.identifier] ?? [] }
    if entries[HistoryLog.replaces] == .boolean(true) { removeLatest(of: record.domain) }
    if let first = HistoryRecord.identifier(entries[HistoryLog.first]) { removeCommands(before: first) }
    insert(record, byteCount: byteCount)
    return true
  }

  /// Whether the file ends with a line end, so that a line can be added.
  var isWhole: Bool { lineByteCount == byteCount }

  /// The records, the oldest first.
  ///
  /// - Complexity: linear in the number of lines.
  var records: [HistoryRecord] { lines.compactMap { $0?.record } }

  /// The numbers of the commands of which there are records, in their order.
  var identifiers: [Int] { commands.filter { $0.value.recordCount > 0 }.keys.sorted() }

  /// How many records of a command are not removed.
  func recordCount(ofCommand identifier: Int) -> Int { commands[identifier]?.recordCount ?? 0 }

  /// The newest record of a command.
  func latest(ofCommand identifier: Int) -> HistoryRecord? {
    commands[identifier]?.places.last { lines[$0] != nil }.flatMap { lines[$0]?.record }
  }

  /// How many bytes the lines of a command's records take.
  func lineByteCount(ofCommand identifier: Int) -> Int { commands[identifier]?.byteCount ?? 0 }

  /// The number of records from which on lines of removed ones may stay: to write the file takes long under the lock.
  private static let longRecordCount = 200

  /// Whether lines of removed records may stay in the file, so that it is seldom written as a whole.
  var isLong: Bool { recordCount > HistoryLog.longRecordCount }

  /// Whether so many lines are without use that the file is to be written as a whole: a fifth of them in a long log, and
  /// any in a short one.
  var isWorthRewriting: Bool {
    4 * (lines.count - recordCount) > max(0, recordCount - HistoryLog.longRecordCount)
  }

  /// The newest record of a domain.
  func latest(of domain: DomainName) -> HistoryRecord? {
    places[domain]?.last { lines[$0] != nil }.flatMap { lines[$0]?.record }
  }

  private mutating func insert(_ record: HistoryRecord, byteCount: Int) {
    copies.add(record)
    place(Line(record: record, byteCount: byteCount))
  }

  private mutating func place(_ line: Line) {
    let record = line.record
    places[record.domain, default: []].append(lines.count)
    if commands[record.identifier] == nil { numbers.insert(record.identifier) }
    commands[record.identifier, default: Command()].places.append(lines.count)
    commands[record.identifier]?.recordCount += 1
    commands[record.identifier]?.byteCount += line.byteCount
    if !record.command.isEmpty { words[record.identifier] = record.command }
    lines.append(line)
    recordCount += 1
    highest = max(highest, record.identifier)
  }

  private mutating func remove(at place: Int) {
    guard let line = lines[place] else { return }
    lines[place] = nil
    recordCount -= 1
    commands[line.record.identifier]?.recordCount -= 1
    commands[line.record.identifier]?.byteCount -= line.byteCount
    copies.remove(line.record)
  }

  /// Adds a record whose line is added to the file.
  mutating func add(_ record: HistoryRecord, line: [UInt8]) {
    insert(record, byteCount: line.count)
    lineCount += 1
    byteCount += line.count
    lineByteCount += line.count
    noteTail(line[...])
  }

  private mutating func noteTail(_ added: ArraySlice<UInt8>) {
    tail = Array((tail + added.suffix(HistoryLog.tailByteCount)).suffix(HistoryLog.tailByteCount))
  }

  /// Removes all records but some; the file has to be written as a whole then.
  mutating func keep(where isKept: (HistoryRecord) -> Bool) {
    for place in lines.indices {
      if let line = lines[place], !isKept(line.record) { remove(at: place) }
    }
  }

  /// Removes the records of the commands below a number; their lines stay until the file is written as a whole, unless the
  /// next record's line removes them.
  mutating func removeCommands(before first: Int) {
    while let identifier = numbers.minimum, identifier < first {
      numbers.removeMinimum()
      for place in commands.removeValue(forKey: identifier)?.places ?? [] { remove(at: place) }
    }
  }

  /// Removes the newest record of a domain; its line stays until the file is written as a whole, unless the next
  /// record's line removes it.
  mutating func removeLatest(of domain: DomainName) {
    while let place = places[domain]?.popLast() {
      guard lines[place] != nil else { continue }
      remove(at: place)
      return
    }
  }

  /// The bytes of the whole file, which the log stands for from now on.
  mutating func rewrite() -> [UInt8] {
    let kept = records
    (lines, recordCount, places, commands, words) = ([], 0, [:], [:], [:])
    numbers = MinimumHeap()
    var bytes: [UInt8] = []
    if highest > 0 {
      bytes += HistoryLog.line(["Last": .integer(PropertyListInteger(Int64(highest)))])
    }
    lineCount = kept.count + (highest > 0 ? 1 : 0)
    for record in kept {
      let line = HistoryLog.line(of: record, withWords: commands[record.identifier] == nil)
      bytes += line
      place(Line(record: record, byteCount: line.count))
    }
    (byteCount, lineByteCount) = (bytes.count, bytes.count)
    tail = Array(bytes.suffix(HistoryLog.tailByteCount))
    return bytes
  }

  /// The line of a record.
  ///
  /// - Parameters:
  ///   - hasWords: Whether it has the command's words.
  ///   - replaces: Whether it removes the record before it of the domain.
  ///   - first: The number below which it removes the commands; nil for none.
  static func line(
    of record: HistoryRecord, withWords hasWords: Bool, replacingLatest replaces: Bool = false,
    removingBefore first: Int? = nil
  ) -> [UInt8] {
    var entries = record.entries(withWords: hasWords)
    if replaces { entries[HistoryLog.replaces] = .boolean(true) }
    if let first { entries[HistoryLog.first] = .integer(PropertyListInteger(Int64(first))) }
    return line(.dictionary(entries))
  }

  private static func line(_ value: PropertyList) -> [UInt8] {
    // It has only what text can hold; a line that had not would be found as a damaged one.
    Array(((try? value.text(style: .oneLine)) ?? "").utf8) + [UInt8(ascii: "\n")]
  }
}
