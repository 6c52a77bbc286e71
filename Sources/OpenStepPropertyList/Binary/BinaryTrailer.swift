/// The last 32 bytes of a binary property list, which say where all other parts are.
///
/// ```
/// bplist00 │ objects … │ offset of object 0, 1, 2 … │ trailer
///           8            offsetTable                  byteCount − 32
///
/// trailer: 6 bytes without a meaning · size of an offset · size of a reference
///          · number of objects · number of the root · offset of the table (8 bytes each)
/// ```
///
/// All numbers are big-endian. References are the numbers of objects, for which the table gives the offsets.
struct BinaryTrailer {
  let offsetSize: Int
  let referenceSize: Int
  let objectCount: Int
  let root: Int
  /// The offset at which the objects end and the table of offsets begins.
  let offsetTable: Int

  static let byteCount = 32
  static let head: StaticString = "bplist00"
  /// The maximum number of objects for which the parser's table has room.
  static let greatestObjectCount = Int(Int32.max) - 1

  /// Whether bytes begin as a binary property list does, of any version.
  static func recognises(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "bplist".utf8)
  }

  /// Checks the head and the trailer of a file; if both are valid, the table of offsets is inside the file.
  init(of bytes: Span<UInt8>, bounds: PropertyList.Bounds) throws(PropertyListError) {
    guard TextCursor(bytes).starts(with: "bplist") else {
      throw PropertyListError(message: "the file does not begin with “bplist00”", offset: 0)
    }
    // The last digit of the version is ignored, as in Foundation.
    guard TextCursor(bytes).starts(with: "bplist0") else {
      throw PropertyListError(
        message: "the file is of a version of the binary format that is not known", offset: 6)
    }
    // The smallest file has an object of one byte and its offset.
    let trailer = bytes.count - BinaryTrailer.byteCount
    guard trailer >= 10 else {
      throw PropertyListError(
        message: "the file ends before its trailer of 32 bytes; it was cut off", offset: bytes.count)
    }
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize) else {
      throw BinaryTrailer.broken("offsets have \(offsetSize) bytes, not 1 to 8", at: trailer + 6)
    }
    guard (1...8).contains(referenceSize) else {
      throw BinaryTrailer.broken("references have \(referenceSize) bytes, not 1 to 8", at: trailer + 7)
    }
    let objectCount = bytes.word(at: trailer + 8).byteSwapped
    let root = bytes.word(at: trailer + 16).byteSwapped
    let offsetTable = bytes.word(at: trailer + 24).byteSwapped
    guard offsetTable > 8, offsetTable < trailer else {
      throw BinaryTrailer.broken("the table of offsets begins outside of the file", at: trailer + 24)
    }
    self.offsetTable = Int(offsetTable)
    // A division, because a product could overflow.
    let (room, rest) = (trailer - self.offsetTable).quotientAndRemainder(dividingBy: offsetSize)
    guard objectCount == UInt64(room), rest == 0 else {
      throw BinaryTrailer.broken(
        "the table of \(objectCount) offsets does not end where the trailer begins", at: trailer + 8)
    }
    self.objectCount = room
    guard root < objectCount else {
      throw BinaryTrailer.broken("the root is object \(root) of \(objectCount)", at: trailer + 16)
    }
    self.root = Int(root)
    let bound = min(bounds.objectCount, BinaryTrailer.greatestObjectCount)
    guard room <= bound else {
      throw PropertyListError(
        message: "the file has \(room) objects; at most \(bound) are read", offset: trailer + 8)
    }
  }

  private static func broken(_ message: String, at offset: Int) -> PropertyListError {
    PropertyListError(
      message: "the trailer is broken, perhaps because the file was cut off: \(message)", offset: offset)
  }
}
