public import OpenStepPropertyList

/// Random property lists, the same ones for the same seed, with a liking for what is hard to write.
public struct RandomValues {
  /// What a reader can hold.
  public enum Range: Sendable {
    /// Every value.
    case everything
    /// What GNUstep holds: dates of whole seconds in the years 1 to 9999, and no byte order mark at
    /// the start of a string, which it drops in whatever form it is written.
    case gnustep
    /// What XML holds and Foundation writes as we do: no `Float`, no −0.0, dates of whole seconds in the years
    /// 1 to 9999, no control characters, and no byte order mark at the start of a string, which Foundation's
    /// reader drops.
    case xml
  }

  private let range: Range
  private var generator: SeededGenerator

  public init(seed: UInt64, range: Range = .everything) {
    self.range = range
    generator = SeededGenerator(seed: seed)
  }

  /// A dictionary of up to a few dozen values, nested at most four deep.
  public mutating func dictionary(depth: Int = 3) -> PropertyList {
    var entries: [PropertyListKey: PropertyList] = [:]
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      entries[PropertyListKey(string())] = value(depth: depth)
    }
    return .dictionary(entries)
  }

  private mutating func value(depth: Int) -> PropertyList {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0 where depth > 0: dictionary(depth: depth - 1)
    case 1 where depth > 0: array(depth: depth - 1)
    case 2: .data(data())
    case 3, 4: .string(string())
    default: typedScalar()
    }
  }

  private mutating func array(depth: Int) -> PropertyList {
    let count = Int.random(in: 0...6, using: &generator)
    return .array((0..<count).map { _ in value(depth: depth) })
  }

  private mutating func data() -> [UInt8] {
    let count = Int.random(in: 0...20, using: &generator)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  // MARK: - Strings

  private static let pieces = [
    "a", "Z", "5", "_", ".", "YES", "-", "$", "/", ":", "+", " ", "a b", "'", "\"", "\\", "\\U", "\\n", "//",
    "/*", "*/", "<*I5>", "<[", ">", "{", "}", "(", ")", ",", ";", "=", "\0", "\u{1}", "\t", "\n", "\r",
    "\r\n",
    "\u{B}", "\u{C}", "\u{1B}", "\u{7F}", "\u{80}", "\u{85}", "\u{9F}", "\u{A0}", "é", "e\u{301}", "\u{301}",
    "\u{2028}", "\u{2029}", "\u{FB01}", "日本", "\u{D7FF}", "\u{E000}", "\u{FEFF}", "\u{FFFD}", "\u{FFFF}",
    "😀", "\u{10000}", "\u{10FFFF}",
  ]

  public mutating func string() -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...5, using: &generator) {
      text += RandomValues.pieces.randomElement(using: &generator) ?? ""
    }
    if range == .xml {
      text.unicodeScalars.removeAll { $0.value < 0x20 && $0 != "\t" && $0 != "\n" || $0 == "\u{FFFF}" }
    }
    while range != .everything, text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    return text
  }

  // MARK: - Typed scalars

  private mutating func typedScalar() -> PropertyList {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: .integer(integer())
    case 1: .real(double())
    case 2 where range != .xml: .float(Float(bitPattern: UInt32(truncatingIfNeeded: word() >> (word() & 31))))
    case 2, 3: .boolean(Bool.random(using: &generator))
    default: .date(PropertyListDate(secondsSinceReferenceDate: seconds()))
    }
  }

  /// One of several things; nil of none.
  public mutating func element<Element>(of elements: [Element]) -> Element? {
    elements.randomElement(using: &generator)
  }

  private mutating func word() -> UInt64 { generator.next() }

  private mutating func integer() -> PropertyListInteger {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: PropertyListInteger(exactly: word()) ?? 0
    case 1:
      [.init(Int64.min), .init(Int64.max), PropertyListInteger(exactly: UInt64.max) ?? 0, 0, -1]
        .randomElement(using: &generator) ?? 0
    default: PropertyListInteger(Int64(bitPattern: word()) >> Int64(word() & 63))
    }
  }

  /// A number of any class: whole, short, subnormal, infinite, not a number, or of any bits at all.
  public mutating func double() -> Double {
    let value = anyDouble()
    return range == .xml && value == 0 ? 0 : value
  }

  private mutating func anyDouble() -> Double {
    let odd: [Double] = [
      0, -0.0, 1, -1, 0.1, 1e15, 1e16, 1e17, 1e21, 0x1p53, .infinity, -.infinity, .nan,
      .leastNonzeroMagnitude, -.leastNormalMagnitude, .greatestFiniteMagnitude, .pi, 5e-5, 1e-5,
    ]
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return odd.randomElement(using: &generator) ?? 0
    case 1: return Double(Int64(bitPattern: word()) >> 40) / 1000
    case 2: return Double(bitPattern: word() >> 12)
    default: return Double(bitPattern: word())
    }
  }

  private mutating func seconds() -> Double {
    let whole = Double(Int64.random(in: -63_113_904_000..<252_423_993_600, using: &generator))
    switch Int.random(in: 0..<3, using: &generator) {
    case 0 where range == .everything: return double()
    case 1 where range == .everything: return whole / 1024
    default: return whole
    }
  }
}
