/// The objects of a binary property list, each found by its number and checked to lie inside of the file.
///
/// A number is read with the seven bytes behind it: no object reaches into the trailer, which has 32.
struct BinaryObjects: ~Escapable {
  let bytes: Span<UInt8>
  let trailer: BinaryTrailer

  /// What an object is, by the upper half of its marker.
  enum Kind: UInt8 {
    case single = 0
    case integer, real, date, data, ascii, utf16
    case uid = 8
    case array = 0xA
    case dictionary = 0xD
  }

  /// An object's marker with its count, and where its contents lie.
  struct Header {
    let object: Int
    /// Where the marker is.
    let offset: Int
    let kind: Kind
    /// The lower half of the marker.
    let low: Int
    /// How many bytes, UTF-16 units, elements or entries there are; of a number, its bytes.
    let count: Int
    /// Where the contents begin, and how many bytes they have.
    let start: Int
    let byteCount: Int
  }

  @_lifetime(copy file)
  init(_ file: Span<UInt8>, bounds: PropertyList.Bounds) throws(PropertyListError) {
    trailer = try BinaryTrailer(of: file, bounds: bounds)
    bytes = file
  }

  /// The number at an offset before the trailer, of one to eight bytes; it may be any number of 64 bits.
  @inline(__always)
  func number(at offset: Int, size: Int) -> UInt64 {
    bytes.word(at: offset).byteSwapped &>> UInt64(64 &- 8 &* size)
  }

  /// The number of an object to which another refers, in a place that lies before the table of offsets.
  @inline(__always)
  func reference(at offset: Int, from header: Header) throws(PropertyListError) -> Int {
    let number = number(at: offset, size: trailer.referenceSize)
    guard number < UInt64(trailer.objectCount) else {
      throw error("refers to object \(number) of \(trailer.objectCount)", header.object, at: offset)
    }
    return Int(number)
  }

  /// Finds an object and checks that all of it lies before the table of offsets.
  @inline(__always)
  func header(of object: Int) throws(PropertyListError) -> Header {
    let place = number(at: trailer.offsetTable + object * trailer.offsetSize, size: trailer.offsetSize)
    guard place >= 8, place < UInt64(trailer.offsetTable) else {
      throw error(
        "lies outside of the file, at \(place)", object, at: trailer.offsetTable + object * trailer.offsetSize
      )
    }
    let offset = Int(place)
    let marker = bytes[offset]
    guard let kind = Kind(rawValue: marker >> 4) else { throw unknown(marker, object, at: offset) }
    let low = Int(marker & 0xF)
    var (count, start) = (low, offset + 1)
    var unit = 1
    switch kind {
    case .single:
      guard low == 8 || low == 9 else { throw unknown(marker, object, at: offset) }
      count = 0
    case .integer:
      guard low <= 4 else { throw unknown(marker, object, at: offset) }
      count = 1 << low
    case .real:
      guard low == 2 || low == 3 else { throw unknown(marker, object, at: offset) }
      count = 1 << low
    case .date:
      guard low == 3 else { throw unknown(marker, object, at: offset) }
      count = 8
    case .uid:
      count = low + 1
    case .data, .ascii, .utf16, .array, .dictionary:
      if low == 0xF { (count, start) = try longCount(object, at: offset + 1) }
      if kind == .utf16 { unit = 2 }
      if kind == .array { unit = trailer.referenceSize }
      if kind == .dictionary { unit = 2 * trailer.referenceSize }
    }
    // Divided only where a product could be too large for any number.
    let room = trailer.offsetTable - start
    guard count <= room, count * unit <= room else {
      throw error(
        "reaches beyond the file’s objects, of which \(max(room, 0)) bytes are left", object, at: offset)
    }
    return Header(
      object: object, offset: offset, kind: kind, low: low, count: count, start: start,
      byteCount: count * unit)
  }

  /// The count of 15 and more, which is an integer object behind the marker.
  private func longCount(_ object: Int, at offset: Int) throws(PropertyListError) -> (count: Int, start: Int)
  {
    guard offset < trailer.offsetTable else {
      throw error("ends before its count", object, at: offset)
    }
    let marker = bytes[offset]
    guard (0x10...0x13).contains(marker) else {
      throw error(
        "has the marker \(BinaryObjects.hexadecimal(marker)) where its count was expected", object, at: offset
      )
    }
    let size = 1 << Int(marker & 0xF)
    guard offset + 1 + size <= trailer.offsetTable else {
      throw error("ends before its count", object, at: offset)
    }
    // Larger than any room, and not too large for the products above.
    let count = min(number(at: offset + 1, size: size), UInt64(Int32.max) << 16)
    return (Int(count), offset + 1 + size)
  }

  /// The bytes that an object has behind its marker and its count.
  @inline(__always)
  @_lifetime(copy self)
  func contents(of header: Header) -> Span<UInt8> {
    bytes.slice(header.start..<header.start + header.byteCount)
  }

  // MARK: - Errors

  func error(_ message: String, _ object: Int, at offset: Int) -> PropertyListError {
    PropertyListError(message: "the object \(message)", object: object, offset: offset)
  }

  private func unknown(_ marker: UInt8, _ object: Int, at offset: Int) -> PropertyListError {
    let meaning: String
    switch marker {
    case 0x00: meaning = "is null, for which a property list has no value"
    case 0x0F: meaning = "is a fill byte, which is no value"
    case 0x70...0x7F: meaning = "is a string in UTF-8, which only other versions of the format have"
    case 0xB0...0xBF, 0xC0...0xCF: meaning = "is a set, for which a property list has no value"
    default: meaning = "is of the unknown kind \(BinaryObjects.hexadecimal(marker))"
    }
    return error(meaning, object, at: offset)
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
