/// What the lock's file says: who has the lock, or had it last, and who is to have it next.
///
/// The first line is the holder's process number. The second is of the one of those waiting who came first: when
/// it arrived, and when it last looked, both in nanoseconds of the clock that nobody sets. The numbers are padded to a fixed
/// width, so that each line can be written by itself. The lock holds without them: they put a
/// name in an error, and those waiting in the order in which they came.
struct LockNotes {
  var holder: Int32?
  var waiter: Waiter?

  /// A waiter, which recognises its own record by its arrival time.
  struct Waiter {
    var since: UInt64
    var seen: UInt64

    /// Whether it still looked a tenth of a second ago, as it does every few milliseconds.
    ///
    /// A process that was stopped or killed while it waited keeps the others from the lock for that long, once.
    func isPresent(at now: UInt64) -> Bool {
      seen <= now && now - seen < 100_000_000
    }

    /// Its line.
    var line: [UInt8] {
      Array("\(padded(since, to: LockNotes.digits)) \(padded(seen, to: LockNotes.digits))\n".utf8)
    }
  }

  static let offsetOfWaiter = 11
  static let byteCount = offsetOfWaiter + 2 * (digits + 1)
  private static let digits = 19

  /// The notes of a process that has just got the lock; one that waits now will note itself again.
  static func bytes(holder: Int32) -> [UInt8] {
    Array("\(padded(holder, to: offsetOfWaiter - 1))\n".utf8) + nobody
  }

  /// The second line where nobody waits.
  static let nobody = Array("\(String(repeating: " ", count: 2 * digits + 1))\n".utf8)

  /// Reads the notes in a file, which may say anything.
  init(_ bytes: [UInt8]) {
    func number<Number: FixedWidthInteger>(at offset: Int, _ count: Int) -> Number? {
      let digits = bytes.dropFirst(offset).prefix(count).drop { $0 == UInt8(ascii: " ") }
      return Number(String(decoding: digits, as: UTF8.self))
    }
    holder = number(at: 0, LockNotes.offsetOfWaiter - 1)
    if let since: UInt64 = number(at: LockNotes.offsetOfWaiter, LockNotes.digits),
      let seen: UInt64 = number(at: LockNotes.offsetOfWaiter + LockNotes.digits + 1, LockNotes.digits)
    {
      waiter = Waiter(since: since, seen: seen)
    }
  }
}

private func padded(_ number: some BinaryInteger, to count: Int) -> String {
  let digits = String(number)
  return String(repeating: " ", count: max(0, count - digits.utf8.count)) + digits
}
