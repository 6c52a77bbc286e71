import Foundation

/// The digest SHA-256 (FIPS 180-4), which no library on every platform offers to the tests.
public enum SHA256 {
  /// The digest as lower-case hexadecimal digits.
  public static func hexadecimalDigest(_ message: some Sequence<UInt8>) -> String {
    var padded = Array(message)
    let bitCount = UInt64(padded.count) * 8
    padded.append(0x80)
    padded.append(contentsOf: repeatElement(0, count: (120 - padded.count % 64) % 64))
    padded.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * $0)) })

    var state = roots.map(fraction)
    let constants = primes.map { fraction(cbrt(Double($0))) }
    for start in stride(from: 0, to: padded.count, by: 64) {
      process(padded[start..<start + 64], state: &state, constants: constants)
    }
    return state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }.joined()
  }

  private static func process(_ block: ArraySlice<UInt8>, state: inout [UInt32], constants: [UInt32]) {
    var words: [UInt32] = []
    for index in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for index in 16..<64 {
      let early = words[index - 15]
      let late = words[index - 2]
      let earlyMix = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
      let lateMix = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
      words.append(words[index - 16] &+ earlyMix &+ words[index - 7] &+ lateMix)
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let first =
        h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ ((e & f) ^ (~e & g)) &+ constants[index]
        &+ words[index]
      let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  private static let primes: [UInt64] = {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < 64 {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes
  }()

  private static let roots = primes.prefix(8).map { Double($0).squareRoot() }

  /// The first 32 bits of a root's fraction, of which the standard makes its constants.
  private static func fraction(_ root: Double) -> UInt32 {
    UInt32((root - root.rounded(.down)) * 0x1p32)
  }
}
