/// Keys as programs have them, the same ones in each run.
enum TestKeys {
  /// So many different keys of 4 to 24 letters; with equal arguments equal strings, but never the same instances.
  ///
  /// - Parameter seed: Keys of different seeds are different.
  static func make(_ count: Int, seed: UInt64 = 1) -> [String] {
    var random = Generator(state: seed)
    var known: Set<String> = []
    var keys: [String] = []
    while keys.count < count {
      let length = Int(random.next() % 21) + 4
      var bytes = (1..<length).map { _ in UInt8(ascii: "a") + UInt8(random.next() % 26) }
      // The first letter keeps the seeds apart.
      bytes.insert(UInt8(ascii: "A") + UInt8(seed % 26), at: 0)
      let key = String(decoding: bytes, as: UTF8.self)
      if known.insert(key).inserted { keys.append(key) }
    }
    return keys
  }
}

/// Random numbers that are the same in each run (SplitMix64).
struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
