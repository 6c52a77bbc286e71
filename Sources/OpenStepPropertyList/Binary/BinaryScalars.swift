/// Decodes the scalars of a binary property list.
extension BinaryObjects {
  /// The value of an object that is neither an array nor a dictionary nor a reference of an archive.
  ///
  /// - Parameter loneSurrogate: Called with the offset of a string's first lone surrogate, which became
  ///   U+FFFD.
  @inline(__always)
  func scalar(_ header: Header, loneSurrogate: (Int) -> Void) throws(PropertyListError) -> PropertyList {
    switch header.kind {
    case .single:
      return .boolean(header.low == 9)
    case .integer:
      return .integer(try integer(header))
    case .real where header.low == 2:
      return .float(Float(bitPattern: UInt32(truncatingIfNeeded: number(at: header.start, size: 4))))
    case .real:
      return .real(Double(bitPattern: number(at: header.start, size: 8)))
    case .date:
      let seconds = Double(bitPattern: number(at: header.start, size: 8))
      return .date(PropertyListDate(secondsSinceReferenceDate: seconds))
    case .data:
      return .data([UInt8](contents(of: header)))
    case .ascii:
      let contents = contents(of: header)
      guard contents.isASCII else { throw notASCII(header) }
      return .string(String(utf8: contents))
    case .utf16:
      let (text, lone) = BinaryStrings.string(utf16: contents(of: header))
      if let lone { loneSurrogate(header.start + 2 * lone) }
      return .string(text)
    case .uid, .array, .dictionary:
      preconditionFailure("a container is no scalar")
    }
  }

  /// Numbers of 1, 2 and 4 bytes are unsigned; numbers of 8 and 16 bytes are signed.
  @inline(__always)
  private func integer(_ header: Header) throws(PropertyListError) -> PropertyListInteger {
    if header.count <= 8 {
      return PropertyListInteger(Int64(bitPattern: number(at: header.start, size: header.count)))
    }
    let high = Int64(bitPattern: number(at: header.start, size: 8))
    let low = number(at: header.start + 8, size: 8)
    if high == 0, let value = PropertyListInteger(exactly: low) { return value }
    if high == -1, low >= 1 << 63 { return PropertyListInteger(Int64(bitPattern: low)) }
    throw error("is a whole number outside of −2^63 to 2^64−1", header.object, at: header.offset)
  }

  private func notASCII(_ header: Header) -> PropertyListError {
    let place = contents(of: header).firstMark(from: 0) { word in word & ByteClasses.topBits }
    return error("is an ASCII string with a byte that is not ASCII", header.object, at: header.start + place)
  }

  // MARK: - References of archives

  /// A reference of a keyed archive as a dictionary; it has 1 to 16 bytes.
  func uid(_ header: Header) throws(PropertyListError) -> PropertyList {
    let zeros = max(header.count - 8, 0)
    let isLarge = contents(of: header).slice(0..<zeros).contains { $0 != 0 }
    let value = number(at: header.start + zeros, size: header.count - zeros)
    guard !isLarge, let number = PropertyListInteger(exactly: value) else {
      throw error("is a reference of an archive with more than 64 bits", header.object, at: header.offset)
    }
    return .dictionary([PropertyList.uidKey: .integer(number)])
  }
}
