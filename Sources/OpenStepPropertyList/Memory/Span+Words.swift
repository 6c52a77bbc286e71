/// Loads and searches of eight bytes at a time, on which readers and writers are built.
///
/// A `Span` cannot outlive the memory that it shows, and the compiler sees to that. Its places are checked here once
/// for each word or run, and not once for each byte.
extension Span<UInt8> {
  /// The eight bytes at an offset, the first one lowest.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count - 8, "eight bytes at \(offset) reach beyond the end")
    return uncheckedWord(at: offset)
  }

  /// The first eight bytes, the first one lowest, with zeros if there are fewer; and a mask of those that there are.
  var firstWord: (bytes: UInt64, mask: UInt64) {
    if count >= 8 { return (word(at: 0), .max) }
    return (withUnsafeBytes { $0.tailWord(from: 0) }, 1 << UInt64(8 * count) - 1)
  }

  /// The first byte from an offset on that a test by eight bytes marks, or the end.
  ///
  /// - Parameter marks: Sets the top bits of the marked bytes of a word, of which only the lowest has to be right;
  ///   zero where no byte is marked.
  @inline(__always)
  func firstMark(from start: Int, _ marks: (_ word: UInt64) -> UInt64) -> Int {
    precondition(start >= 0, "no byte lies before the first")
    var place = start
    while place <= count &- 8 {
      let found = marks(uncheckedWord(at: place))
      if found != 0 { return place &+ found.trailingZeroBitCount / 8 }
      place &+= 8
    }
    while place < count, marks(UInt64(self[unchecked: place])) & 0x80 == 0 { place &+= 1 }
    return place
  }

  /// Whether all bytes are below 0x80.
  @inline(__always)
  var isASCII: Bool {
    var all: UInt64 = 0
    var place = 0
    while place <= count &- 8 {
      all |= uncheckedWord(at: place)
      place &+= 8
    }
    return (all | withUnsafeBytes { $0.tailWord(from: place) }) & ByteClasses.topBits == 0
  }

  /// Whether any byte passes a test.
  @inline(__always)
  func contains(where test: (UInt8) -> Bool) -> Bool {
    for place in 0..<count where test(self[unchecked: place]) { return true }
    return false
  }

  /// A part, whose places count from its start.
  @inline(__always)
  @_lifetime(copy self)
  func slice(_ range: Range<Int>) -> Span<UInt8> { extracting(range) }

  /// The bytes from an offset on.
  @inline(__always)
  @_lifetime(copy self)
  func slice(from start: Int) -> Span<UInt8> { extracting(start..<count) }

  @inline(__always)
  var first: UInt8? { isEmpty ? nil : self[unchecked: 0] }

  @inline(__always)
  private func uncheckedWord(at offset: Int) -> UInt64 {
    bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self).littleEndian
  }
}

extension String {
  /// Makes a string of bytes in UTF-8; what is ill-formed becomes U+FFFD.
  @inline(__always)
  init(utf8 bytes: Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  /// Makes a string of at most so many bytes in UTF-8, which a body appends.
  @inline(__always)
  init(utf8Count count: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
    self.init(unsafeUninitializedCapacity: count) { buffer in
      var output = OutputSpan(buffer: buffer, initializedCount: 0)
      body(&output)
      return output.finalize(for: buffer)
    }
  }

  /// Runs a body with the string's bytes in UTF-8.
  @inline(__always)
  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    utf8.withContiguousStorageIfAvailable { body($0.span) } ?? withCopiedBytes(body)
  }

  /// The same for the strings that Objective-C made, which alone have no bytes to look at.
  @inline(never)
  private func withCopiedBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(Array(utf8).span)
  }
}

extension [UInt8] {
  /// Makes an array of a part of another.
  @inline(__always)
  package init(_ bytes: Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { [UInt8]($0) }
  }
}

extension StaticString {
  /// Runs a body with the bytes in UTF-8.
  @inline(__always)
  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount).span)
  }

  /// The byte at a place.
  @inline(__always)
  func byte(at place: Int) -> UInt8 {
    precondition(place >= 0 && place < utf8CodeUnitCount, "the text has no byte \(place)")
    return utf8Start[place]
  }
}
