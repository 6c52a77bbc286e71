#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("Copies: name this platform's C library here.")
#endif

/// What a caller gets to keep: blocks of memory that `free` frees.
enum Copies {
  typealias Texts = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  private static func block(_ size: Int) throws(Refusal) -> UnsafeMutableRawPointer {
    // malloc may give NULL for a size of 0.
    guard let block = malloc(max(size, 1)) else { throw .failed("no memory for a copy of \(size) bytes") }
    return block
  }

  /// A text that is never freed.
  static func constant(_ text: String) -> UnsafePointer<CChar>? {
    text.withCString { UnsafePointer(strdup($0)) }
  }

  /// Frees a block.
  static func free(_ block: UnsafeMutableRawPointer?) {
    #if canImport(Glibc)
      Glibc.free(block)
    #elseif canImport(Musl)
      Musl.free(block)
    #elseif canImport(Darwin)
      Darwin.free(block)
    #endif
  }

  /// Bytes with a NUL after them.
  static func bytes(_ bytes: some Collection<UInt8>) throws(Refusal) -> UnsafeMutableRawPointer {
    let count = bytes.count
    let block = try block(count + 1)
    let buffer = UnsafeMutableRawBufferPointer(start: block, count: count + 1)
    buffer.copyBytes(from: bytes)
    buffer[count] = 0
    return block
  }

  /// A text.
  ///
  /// - Parameters:
  ///   - out: The place for the copy.
  ///   - length: The place for the number of its bytes; NULL if the caller does not ask.
  static func put(
    _ text: String, in out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    length: UnsafeMutablePointer<Int>?
  ) throws(Refusal) {
    out.pointee = try bytes(text.utf8).assumingMemoryBound(to: CChar.self)
    length?.pointee = text.utf8.count
  }

  /// Texts, as one block: the pointers, of which the last is NULL, and behind them the texts.
  static func put(
    _ texts: [String], in out: UnsafeMutablePointer<Texts?>, count: UnsafeMutablePointer<Int>?
  ) throws(Refusal) {
    // A text that contains NUL would end early.
    if let text = texts.first(where: { $0.utf8.contains(0) }) {
      throw .failed("“\(text)” contains NUL, which no list of texts can hold; copy the property list")
    }
    let start = (texts.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
    let block = try block(texts.reduce(start) { $0 + $1.utf8.count + 1 })
    let pointers = block.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
    var place = block + start
    for (index, text) in texts.enumerated() {
      let size = text.utf8.count
      UnsafeMutableRawBufferPointer(start: place, count: size).copyBytes(from: text.utf8)
      place.storeBytes(of: 0, toByteOffset: size, as: CChar.self)
      pointers[index] = place.assumingMemoryBound(to: CChar.self)
      place += size + 1
    }
    pointers[texts.count] = nil
    out.pointee = pointers
    count?.pointee = texts.count
  }
}
