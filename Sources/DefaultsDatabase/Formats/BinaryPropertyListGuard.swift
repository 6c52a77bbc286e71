import OpenStepPropertyList

/// Checks a binary property list before Foundation reads it.
///
/// Foundation follows every reference each time it meets it: two dozen arrays that each name the next
/// one twice keep it busy for seconds, and a few more for ever. This walk visits each object once.
struct BinaryPropertyListGuard {
  /// How many key–value pairs all the dictionaries hold, as often as they are referred to.
  private(set) var pairCount = 0

  private let bytes: [UInt8]
  private let objectCount: Int
  private let referenceSize: Int
  private let offsetSize: Int
  private let offsetTable: Int
  private let root: Int
  /// What each object that was visited expands to.
  private var expansions: [Expansion?]
  /// What the visited objects hold themselves, each taken once.
  private var visited = Expansion()

  /// What an object becomes when all that it refers to is written out.
  private struct Expansion {
    var objects = 1
    var payload = 0
    var pairs = 0
    var depth = 0

    mutating func add(_ other: Expansion) {
      // Saturates: the numbers double with each object that a file shares.
      objects = Expansion.sum(objects, other.objects)
      payload = Expansion.sum(payload, other.payload)
      pairs = Expansion.sum(pairs, other.pairs)
      depth = max(depth, other.depth + 1)
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
      let (sum, overflow) = left.addingReportingOverflow(right)
      return overflow ? Int.max : sum
    }
  }

  static func recognises(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "bplist".utf8)
  }

  /// Checks the whole file.
  init(checking bytes: [UInt8]) throws(FormatError) {
    guard bytes.starts(with: "bplist0".utf8) else {
      throw FormatError("is a binary property list of a version that is not known")
    }
    let trailer = bytes.count - 32
    guard trailer > 8 else { throw FormatError("is a binary property list that was cut off") }
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let objectCount = BinaryPropertyListGuard.integer(bytes, at: trailer + 8, size: 8), objectCount > 0,
      let root = BinaryPropertyListGuard.integer(bytes, at: trailer + 16, size: 8), root < objectCount,
      let offsetTable = BinaryPropertyListGuard.integer(bytes, at: trailer + 24, size: 8),
      offsetTable > 8, offsetTable < trailer, objectCount <= (trailer - offsetTable) / offsetSize
    else { throw FormatError("is a binary property list with a broken trailer, perhaps cut off") }
    self.objectCount = objectCount
    self.root = root
    self.offsetTable = offsetTable
    expansions = Array(repeating: nil, count: objectCount)
    try visitAll()
  }

  // MARK: Walking

  /// Visits every object that the root leads to, without recursion.
  private mutating func visitAll() throws(FormatError) {
    var open: [(object: Int, children: [Int], next: Int, expansion: Expansion)] = []
    var isOpen = Array(repeating: false, count: objectCount)
    var current: Int? = root
    while true {
      if let object = current {
        let (children, expansion) = try contents(of: object)
        // Objects may overlap, so that each of thousands claims most of the file. What they hold together
        // is a part of what the root expands to; too much of it is known before all of them are walked.
        visited.objects += children.count
        visited.payload += expansion.payload
        try checkSize(of: visited)
        open.append((object, children, 0, expansion))
        isOpen[object] = true
        if open.count > PropertyList.maximumDepth + 1 { throw tooDeep }
      }
      let top = open.count - 1
      if open[top].next < open[top].children.count {
        let child = open[top].children[open[top].next]
        open[top].next += 1
        if isOpen[child] { throw FormatError("contains a container that contains itself") }
        if let expansion = expansions[child] {
          open[top].expansion.add(expansion)
          if open.count + expansion.depth > PropertyList.maximumDepth + 1 { throw tooDeep }
          current = nil
        } else {
          current = child
        }
        continue
      }
      let done = open.removeLast()
      isOpen[done.object] = false
      expansions[done.object] = done.expansion
      try checkSize(of: done.expansion)
      guard !open.isEmpty else {
        pairCount = done.expansion.pairs
        return
      }
      open[open.count - 1].expansion.add(done.expansion)
      current = nil
    }
  }

  private var tooDeep: FormatError {
    FormatError("nests more than \(PropertyList.maximumDepth) containers")
  }

  /// What an honest writer shares are strings and numbers, some dozens of times; the limits leave room for that.
  private func checkSize(of expansion: Expansion) throws(FormatError) {
    if expansion.objects > 1_000_000 + 16 * objectCount
      || expansion.payload > 64_000_000 + 16 * bytes.count
    {
      throw FormatError("shares its objects so often that it would expand beyond all measure")
    }
  }

  // MARK: Objects

  /// What an object refers to, and its own size.
  private func contents(of object: Int) throws(FormatError) -> ([Int], Expansion) {
    guard let offset = integer(at: offsetTable + object * offsetSize, size: offsetSize),
      (8..<offsetTable).contains(offset)
    else { throw broken(object) }
    let marker = bytes[offset]
    var expansion = Expansion()
    switch marker {
    case 0x08, 0x09:
      return ([], expansion)
    case 0x10...0x13, 0x22, 0x23, 0x33:
      try checkRoom(from: offset + 1, 1 << Int(marker & 0xF), object)
      return ([], expansion)
    case 0x14:
      try checkRoom(from: offset + 1, 16, object)
      try checkLongInteger(at: offset + 1)
      return ([], expansion)
    case 0x40...0x6F:
      let (count, start) = try length(at: offset, object)
      let size = marker >= 0x60 ? 2 : 1
      guard count <= (offsetTable - start) / size else { throw broken(object) }
      if marker & 0xF0 == 0x50, bytes[start..<start + count].contains(where: { $0 >= 0x80 }) {
        throw FormatError("has a character that is not ASCII in an ASCII string")
      }
      expansion.payload = count * size
      return ([], expansion)
    case 0xA0...0xAF:
      let (count, start) = try length(at: offset, object)
      return (try references(from: start, count, object), expansion)
    case 0xD0...0xDF:
      let (count, start) = try length(at: offset, object)
      guard count <= (offsetTable - start) / (2 * referenceSize) else { throw broken(object) }
      let children = try references(from: start, 2 * count, object)
      for key in children.prefix(count) { try checkKey(key) }
      expansion.pairs = count
      return (children, expansion)
    case 0x80...0x8F:
      throw FormatError("is a keyed archive, not a plain property list", isForeign: true)
    default:
      throw FormatError("contains an object of the unknown kind 0x\(String(marker, radix: 16))")
    }
  }

  private func checkKey(_ object: Int) throws(FormatError) {
    guard let offset = integer(at: offsetTable + object * offsetSize, size: offsetSize),
      (8..<offsetTable).contains(offset)
    else { throw broken(object) }
    guard (0x50...0x6F).contains(bytes[offset]) else {
      throw FormatError("has a dictionary with a key that is no string", isForeign: true)
    }
  }

  /// Sixteen bytes hold the numbers from 2^63 up to what UInt64 holds; Foundation misreads all others.
  private func checkLongInteger(at offset: Int) throws(FormatError) {
    guard bytes[offset..<offset + 8].allSatisfy({ $0 == 0 }) else {
      throw FormatError("contains a whole number of more than 64 bits", isForeign: true)
    }
  }

  /// The count in an object's marker, or in the number behind it, and where the contents begin.
  private func length(at offset: Int, _ object: Int) throws(FormatError) -> (count: Int, start: Int) {
    let short = Int(bytes[offset] & 0xF)
    if short < 0xF { return (short, offset + 1) }
    guard offset + 1 < offsetTable, (0x10...0x13).contains(bytes[offset + 1]) else { throw broken(object) }
    let size = 1 << Int(bytes[offset + 1] & 0xF)
    guard offset + 2 + size <= offsetTable, let count = integer(at: offset + 2, size: size) else {
      throw broken(object)
    }
    return (count, offset + 2 + size)
  }

  private func references(from start: Int, _ count: Int, _ object: Int) throws(FormatError) -> [Int] {
    guard count <= (offsetTable - start) / referenceSize else { throw broken(object) }
    var references: [Int] = []
    references.reserveCapacity(count)
    for index in 0..<count {
      guard let reference = integer(at: start + index * referenceSize, size: referenceSize),
        reference < objectCount
      else { throw broken(object) }
      references.append(reference)
    }
    return references
  }

  private func checkRoom(from start: Int, _ count: Int, _ object: Int) throws(FormatError) {
    if start + count > offsetTable { throw broken(object) }
  }

  private func broken(_ object: Int) -> FormatError {
    FormatError("is a broken binary property list (object \(object) of \(objectCount))")
  }

  private func integer(at offset: Int, size: Int) -> Int? {
    BinaryPropertyListGuard.integer(bytes, at: offset, size: size)
  }

  /// A number of up to eight bytes, the first of them the highest; nil beyond `Int.max`.
  private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) -> Int? {
    var value: UInt64 = 0
    for byte in bytes[offset..<offset + size] { value = value << 8 | UInt64(byte) }
    return Int(exactly: value)
  }
}
