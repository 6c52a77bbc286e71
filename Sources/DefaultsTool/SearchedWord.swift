/// A word that is searched for in texts, byte by byte, with the algorithm of Knuth, Morris and Pratt.
///
/// The texts may be other people's: a search that begins again behind each byte would take the product of both lengths.
struct SearchedWord {
  private let bytes: [UInt8]
  /// For each of the word's beginnings, the length of the longest shorter one with which it ends.
  private let borders: [Int]

  /// - Complexity: linear in the length of the word.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var borders = [Int](repeating: 0, count: bytes.count)
    var length = 0
    for index in bytes.indices.dropFirst() {
      while length > 0, bytes[index] != bytes[length] { length = borders[length - 1] }
      if bytes[index] == bytes[length] { length += 1 }
      borders[index] = length
    }
    self.borders = borders
  }

  /// Whether a text contains the word; every text contains the empty one.
  ///
  /// - Complexity: linear in the length of the text.
  func isPart(of text: some Sequence<UInt8>) -> Bool {
    guard !bytes.isEmpty else { return true }
    var length = 0
    for byte in text {
      while length > 0, byte != bytes[length] { length = borders[length - 1] }
      if byte == bytes[length] { length += 1 }
      if length == bytes.count { return true }
    }
    return false
  }
}
