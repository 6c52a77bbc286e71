/// Files with half a surrogate pair, as macOS's UserDefaults writes it into a binary file, and no Swift string holds it.
public enum LoneSurrogate {
  /// A binary file of `{ a = "?x"; b = v; }`, in which the sign is the unit 0xD83E.
  public static let binary: [UInt8] =
    Array("bplist00".utf8) + [0xD2, 1, 2, 3, 4] + [0x51, 0x61] + [0x51, 0x62] + [0x62, 0xD8, 0x3E, 0, 0x78]
    + [0x51, 0x76] + [8, 13, 15, 17, 22] + Array(repeating: 0, count: 6) + [1, 1]
    + Array(repeating: 0, count: 7) + [5] + Array(repeating: 0, count: 15) + [24]
}
