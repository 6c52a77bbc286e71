import Testing

@testable import OpenStepPropertyList

@Suite struct KeyHashTests {
  @Test("equal bytes have equal hashes wherever they lie")
  func equality() {
    for count in 0..<40 {
      let bytes = (0..<count).map { UInt8($0) }
      for offset in 0..<9 {
        let moved = [UInt8](repeating: 0xFF, count: offset) + bytes + [0xFF, 0xFF]
        #expect(
          KeyHash.hash(moved.span.slice(offset..<offset + count), seed: 5)
            == KeyHash.hash(bytes.span, seed: 5))
      }
    }
  }

  @Test("each byte, the length and the seed change the hash")
  func differences() {
    var hashes: Set<Int> = []
    var count = 0
    for length in 0..<40 {
      var bytes = [UInt8](repeating: 0x61, count: length)
      hashes.insert(KeyHash.hash(bytes.span, seed: 0))
      hashes.insert(KeyHash.hash(bytes.span, seed: 1 << 32))
      count += 2
      for place in 0..<length {
        bytes[place] = 0x63
        hashes.insert(KeyHash.hash(bytes.span, seed: 0))
        bytes[place] = 0x61
        count += 1
      }
    }
    #expect(hashes.count == count)
  }
}
