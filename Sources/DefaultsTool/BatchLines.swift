import DefaultsDatabase

/// The lines of batch input, by their domains.
///
/// A line is kept as its place in the input, and is read again when it is used. The values of all lines would
/// take many times the memory of the input, and so would a dictionary of many domains.
struct BatchLines {
  private struct Line {
    let offset: UInt32
    /// A hash of the domain.
    let hash: UInt32
    /// The index of the domain's next line; that of its first line in its last line.
    var next: UInt32
  }

  /// A domain that has lines.
  struct Domain {
    let name: DomainName
    /// The index of its last line.
    fileprivate let last: UInt32
  }

  private let bytes: [UInt8]
  private let dialect: DatabaseDialect
  private var lines: [Line] = []
  /// The number of line breaks before each block of the input, from which the numbers of lines are counted.
  private var breakCounts: [UInt32] = []
  /// A hash table with open addressing: for each domain the index of its last line; after the initializer
  /// these indices alone, sorted by the domains' names.
  private var slots = Array(repeating: freeSlot, count: 64)
  /// How many domains the lines are about.
  private(set) var domainCount = 0

  private static let freeSlot = UInt32.max
  private static let blockSize = 1 << 7

  /// Reads all lines.
  ///
  /// - Parameters:
  ///   - bytes: The input, less than 4 GiB.
  ///   - domain: Checks a line, and gives its domain.
  /// - Throws: what the body throws, and ``CommandError`` for what cannot be split into tokens.
  /// - Complexity: linear in the input; n log n in the number of domains.
  init(
    of bytes: [UInt8], in dialect: DatabaseDialect, domain: (TokenLine) throws -> DomainName
  ) throws {
    self.bytes = bytes
    self.dialect = dialect
    var breakCount = 0
    breakCounts.reserveCapacity(bytes.count / BatchLines.blockSize + 1)
    for (offset, byte) in bytes.enumerated() {
      if offset % BatchLines.blockSize == 0 { breakCounts.append(UInt32(breakCount)) }
      if byte == UInt8(ascii: "\n") { breakCount += 1 }
    }
    // With room for all lines at once, the array never is in memory twice. A line has two tokens and four
    // bytes at least.
    lines.reserveCapacity(min(breakCount, bytes.count / 4) + 1)
    try TokenLine.forEach(of: bytes) { line in try append(line, to: domain(line)) }
    var domains = slots
    slots = []
    domains.removeAll { $0 == BatchLines.freeSlot }
    try domains.sort { try name(ofLine: $0) < name(ofLine: $1) }
    slots = domains
  }

  /// Calls a body with each domain, sorted by name.
  func forEachDomain(_ body: (Domain) throws -> Void) throws {
    for last in slots { try body(Domain(name: name(ofLine: last), last: last)) }
  }

  /// Calls a body with each line of a domain, in the order of the input.
  func forEachLine(of domain: Domain, _ body: (TokenLine) throws -> Void) throws {
    var index = domain.last
    repeat {
      index = lines[Int(index)].next
      let offset = Int(lines[Int(index)].offset)
      try body(TokenLine(number: number(ofLineAt: offset), offset: offset, of: bytes))
    } while index != domain.last
  }

  /// The number of the line whose first token begins at an offset.
  private func number(ofLineAt offset: Int) -> Int {
    let block = offset / BatchLines.blockSize
    let breaks = bytes[block * BatchLines.blockSize..<offset].reduce(0) {
      $1 == UInt8(ascii: "\n") ? $0 + 1 : $0
    }
    return Int(breakCounts[block]) + breaks + 1
  }

  // MARK: Building

  private mutating func append(_ line: TokenLine, to domain: DomainName) throws {
    if 4 * domainCount >= 3 * slots.count { enlargeTable() }
    let hash = UInt32(truncatingIfNeeded: domain.hashValue)
    let index = UInt32(lines.count)
    var next = index
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] != BatchLines.freeSlot {
      let last = slots[slot]
      if lines[Int(last)].hash == hash, try name(ofLine: last) == domain {
        next = lines[Int(last)].next
        lines[Int(last)].next = index
        break
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    if slots[slot] == BatchLines.freeSlot { domainCount += 1 }
    slots[slot] = index
    lines.append(Line(offset: UInt32(line.offset), hash: hash, next: next))
  }

  private mutating func enlargeTable() {
    var larger = Array(repeating: BatchLines.freeSlot, count: 2 * slots.count)
    for last in slots where last != BatchLines.freeSlot {
      var slot = Int(lines[Int(last)].hash) & (larger.count - 1)
      while larger[slot] != BatchLines.freeSlot { slot = (slot + 1) & (larger.count - 1) }
      larger[slot] = last
    }
    slots = larger
  }

  private func name(ofLine index: UInt32) throws -> DomainName {
    try DomainName(
      TokenLine.domain(atOffset: Int(lines[Int(index)].offset), of: bytes), in: dialect)
  }
}
