/// A byte cursor: a place in a text of well-formed UTF-8, with the steps that every grammar needs.
///
/// It cannot outlive the text. Each read compares the place with the end first, and so reads without a second check;
/// the place never lies before the first byte. It may lie behind the last one, where there is nothing to read.
struct TextCursor: ~Escapable {
  let bytes: Span<UInt8>
  private(set) var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
  }

  /// Stops a debug build where a place lies before the first byte.
  func checkInvariants() {
    assert(position >= 0, "the cursor lies before the text")
  }

  // MARK: - Reading

  /// The byte at the cursor, or nil at the end.
  @inline(__always)
  var byte: UInt8? {
    position < bytes.count ? bytes[unchecked: position] : nil
  }

  /// The byte some places further on, or nil beyond the end.
  @inline(__always)
  func byte(ahead distance: Int) -> UInt8? {
    assert(distance >= 0, "the cursor reads what lies before it")
    return distance < bytes.count - position ? bytes[unchecked: position + distance] : nil
  }

  /// The eight bytes some places further on, the first one lowest, or nil where the text has fewer.
  @inline(__always)
  func word(ahead distance: Int) -> UInt64? {
    bytes.count - position >= distance + 8 ? bytes.word(at: position + distance) : nil
  }

  @inline(__always)
  var isAtEnd: Bool { position >= bytes.count }

  /// Whether the text goes on with these bytes.
  func starts(with text: StaticString) -> Bool {
    guard bytes.count - position >= text.utf8CodeUnitCount else { return false }
    for index in 0..<text.utf8CodeUnitCount
    where bytes[unchecked: position + index] != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// Whether these bytes stand some places further on.
  @inline(__always)
  func stands(_ text: StaticString, ahead distance: Int) -> Bool {
    let start = position + distance
    guard bytes.count - start >= text.utf8CodeUnitCount else { return false }
    return text.withBytes { bytes.extracting(start..<start + $0.count).hasEqualBytes(as: $0) }
  }

  /// Whether these bytes stand right before the cursor.
  func hasBehind(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    return position >= count && position <= bytes.count
      && text.withBytes { bytes.extracting(position - count..<position).hasEqualBytes(as: $0) }
  }

  /// The bytes from an earlier place up to the cursor.
  @inline(__always)
  @_lifetime(copy self)
  func slice(from start: Int) -> Span<UInt8> {
    bytes.extracting(start..<position)
  }

  /// The text from an earlier place up to the cursor.
  @inline(__always)
  func text(from start: Int) -> String {
    String(utf8: slice(from: start))
  }

  // MARK: - Moving

  @inline(__always)
  mutating func advance(by count: Int = 1) {
    position += count
    checkInvariants()
  }

  /// Goes to another place of the text, or to its end.
  mutating func move(to place: Int) {
    precondition(place >= 0 && place <= bytes.count, "the text has no place \(place)")
    position = place
    checkInvariants()
  }

  /// Moves to the first byte that a test by eight bytes marks, or to the end; see `Span.firstMark`.
  @inline(__always)
  mutating func skip(toMark marks: (_ word: UInt64) -> UInt64) {
    position = bytes.firstMark(from: position, marks)
    checkInvariants()
  }
}
