/// Finds the objects of a binary property list by their numbers, and checks that they are inside the file.
///
/// A number is loaded with the seven bytes after it, which exist because no object reaches into the trailer.
struct BinaryObjects: ~Escapable {
  let bytes: Span<UInt8>
  let trailer: BinaryTrailer

  /// The kind of an object, by the upper half of its marker.
  enum Kind {
    case single, integer, real, date, data, ascii, utf16, uid, array, dictionary

    /// The kind for a marker; nil if no value of a property list has such a marker.
    @inline(__always)
    init?(marker: UInt8) {
      switch marker >> 4 {
      case 0: self = .single
      case 1: self = .integer
      case 2: self = .real
      case 3: self = .date
      case 4: self = .data
      case 5: self = .ascii
      case 6: self = .utf16
      case 8: self = .uid
      case 0xA: self = .array
      case 0xD: self = .dictionary
      default: return nil
      }
    }
  }

  /// An object's marker and count, and the location of its contents.
  struct Header {
    let object: Int
    /// The offset of the marker.
    let offset: Int
    let kind: Kind
    /// The lower half of the marker.
    let low: Int
    /// The number of bytes, UTF-16 code units, elements or entries; for a number, its bytes.
    let count: Int
    /// The offset of the contents, and their length in bytes.
    let start: Int
    let byteCount: Int
  }

  @_lifetime(copy file)
  init(_ file: Span<UInt8>, bounds: PropertyList.Bounds) throws(PropertyListError) {
    trailer = try BinaryTrailer(of: file, bounds: bounds)
    bytes = file
  }

  /// The number of one to eight bytes at an offset before the trailer; it can be any number of 64 bits.
  @inline(__always)
  func number(at offset: Int, size: Int) -> UInt64 {
    bytes.word(at: offset).byteSwapped &>> UInt64(64 &- 8 &* size)
  }

  /// The number of the object to which a reference at an offset before the table of offsets leads.
  @inline(__always)
  func reference(at offset: Int, from header: Header) throws(PropertyListError) -> Int {
    let number = number(at: offset, size: trailer.referenceSize)
    guard number < UInt64(trailer.objectCount) else {
      throw error("refers to object \(number) of \(trailer.objectCount)", header.object, at: offset)
    }
    return Int(number)
  }

  /// What is wrong with an object's offset, marker or count.
  ///
  /// The message is made later, because all objects are looked at once before the first is read, and those to
  /// which nothing leads may be broken.
  private enum Flaw: Error {
    case outside(place: UInt64)
    case unknown(marker: UInt8, offset: Int)
    case noCount(offset: Int)
    case badCount(marker: UInt8, offset: Int)
    case tooLong(offset: Int, room: Int)
  }

  /// Finds an object and checks that all of it is before the table of offsets.
  @inline(__always)
  func header(of object: Int) throws(PropertyListError) -> Header {
    do throws(Flaw) {
      return try look(at: object)
    } catch {
      throw self.error(error, object)
    }
  }

  /// The place of the references of a container, and their number; nil for a scalar and for an object that
  /// cannot be read.
  @inline(__always)
  func references(of object: Int) -> (start: Int, count: Int)? {
    let place = number(at: trailer.offsetTable + object * trailer.offsetSize, size: trailer.offsetSize)
    // Most objects are scalars, of which only the marker is looked at.
    guard place >= 8, place < UInt64(trailer.offsetTable), bytes[Int(place)] >= 0xA0 else { return nil }
    do throws(Flaw) {
      let header = try look(at: object)
      switch header.kind {
      case .array: return (header.start, header.count)
      case .dictionary: return (header.start, 2 * header.count)
      default: return nil
      }
    } catch {
      return nil
    }
  }

  @inline(__always)
  private func look(at object: Int) throws(Flaw) -> Header {
    let place = number(at: trailer.offsetTable + object * trailer.offsetSize, size: trailer.offsetSize)
    guard place >= 8, place < UInt64(trailer.offsetTable) else { throw .outside(place: place) }
    let offset = Int(place)
    let marker = bytes[offset]
    guard let kind = Kind(marker: marker) else { throw .unknown(marker: marker, offset: offset) }
    let low = Int(marker & 0xF)
    var (count, start) = (low, offset + 1)
    var unit = 1
    switch kind {
    case .single:
      guard low == 8 || low == 9 else { throw .unknown(marker: marker, offset: offset) }
      count = 0
    case .integer:
      guard low <= 4 else { throw .unknown(marker: marker, offset: offset) }
      count = 1 << low
    case .real:
      guard low == 2 || low == 3 else { throw .unknown(marker: marker, offset: offset) }
      count = 1 << low
    case .date:
      guard low == 3 else { throw .unknown(marker: marker, offset: offset) }
      count = 8
    case .uid:
      count = low + 1
    case .data, .ascii, .utf16, .array, .dictionary:
      if low == 0xF { (count, start) = try longCount(at: offset + 1) }
      if kind == .utf16 { unit = 2 }
      if kind == .array { unit = trailer.referenceSize }
      if kind == .dictionary { unit = 2 * trailer.referenceSize }
    }
    // The count is compared alone first, so that the product cannot overflow.
    let room = trailer.offsetTable - start
    guard count <= room, count * unit <= room else { throw .tooLong(offset: offset, room: room) }
    return Header(
      object: object, offset: offset, kind: kind, low: low, count: count, start: start,
      byteCount: count * unit)
  }

  /// A count of 15 or more, which is an integer object after the marker.
  private func longCount(at offset: Int) throws(Flaw) -> (count: Int, start: Int) {
    guard offset < trailer.offsetTable else { throw .noCount(offset: offset) }
    let marker = bytes[offset]
    guard (0x10...0x13).contains(marker) else { throw .badCount(marker: marker, offset: offset) }
    let size = 1 << Int(marker & 0xF)
    guard offset + 1 + size <= trailer.offsetTable else { throw .noCount(offset: offset) }
    // A count with this maximum exceeds any file, and does not overflow in the product above.
    let count = min(number(at: offset + 1, size: size), UInt64(Int32.max) << 16)
    return (Int(count), offset + 1 + size)
  }

  /// The bytes of an object after its marker and its count.
  @inline(__always)
  @_lifetime(copy self)
  func contents(of header: Header) -> Span<UInt8> {
    bytes.slice(header.start..<header.start + header.byteCount)
  }

  // MARK: - Errors

  func error(_ message: String, _ object: Int, at offset: Int) -> PropertyListError {
    PropertyListError(message: "the object \(message)", object: object, offset: offset)
  }

  private func error(_ flaw: Flaw, _ object: Int) -> PropertyListError {
    switch flaw {
    case .outside(let place):
      error(
        "lies outside of the file, at \(place)", object, at: trailer.offsetTable + object * trailer.offsetSize
      )
    case .unknown(let marker, let offset):
      unknown(marker, object, at: offset)
    case .noCount(let offset):
      error("ends before its count", object, at: offset)
    case .badCount(let marker, let offset):
      error(
        "has the marker \(BinaryObjects.hexadecimal(marker)) where its count was expected", object,
        at: offset)
    case .tooLong(let offset, let room):
      error(
        "reaches beyond the file’s objects, of which \(max(room, 0)) bytes are left", object, at: offset)
    }
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
