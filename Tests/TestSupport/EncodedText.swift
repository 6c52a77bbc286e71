/// A text in UTF-16 without a mark, with the high byte of each unit first or last.
public func utf16(_ text: String, isBig: Bool) -> [UInt8] {
  text.utf16.flatMap { unit in
    isBig ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
  }
}

/// A text in UTF-32 without a mark, with the high byte of each character first or last.
public func utf32(_ text: String, isBig: Bool) -> [UInt8] {
  text.unicodeScalars.flatMap { scalar in
    let bytes = stride(from: 24, through: 0, by: -8).map { UInt8(scalar.value >> UInt32($0) & 0xFF) }
    return isBig ? bytes : bytes.reversed()
  }
}
