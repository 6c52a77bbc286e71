/// What the lock's file says: the process that holds the lock, or held it last, and the process that waits
/// longest.
///
/// The first line is the holder's process number. The second line belongs to the waiter that arrived first:
/// when it arrived, and when it last tried to take the lock, both in nanoseconds of the monotonic clock. The
/// numbers are padded to a fixed width, so that each line can be written by itself. The lock is exclusive
/// without this record, which names the holder in an error and keeps the waiters in the order in which they
/// arrived.
struct LockQueueRecord {
  var holder: Int32?
  var waiter: Waiter?

  /// A waiting process, which recognises its own record by its arrival time.
  struct Waiter {
    var arrival: UInt64
    var lastAttempt: UInt64

    /// Whether it tried to take the lock during the last tenth of a second, as it does every few
    /// milliseconds.
    ///
    /// A process that was stopped or killed while it waited delays the others by that time, once.
    func isPresent(at now: UInt64) -> Bool {
      lastAttempt <= now && now - lastAttempt < 100_000_000
    }

    /// Its line in the file.
    var line: [UInt8] {
      Array(
        "\(padded(arrival, to: LockQueueRecord.digits)) \(padded(lastAttempt, to: LockQueueRecord.digits))\n"
          .utf8)
    }
  }

  static let offsetOfWaiter = 11
  static let byteCount = offsetOfWaiter + 2 * (digits + 1)
  private static let digits = 19

  /// The record of a process that has just taken the lock; a process that is waiting will write its line
  /// again.
  static func bytes(holder: Int32) -> [UInt8] {
    Array("\(padded(holder, to: offsetOfWaiter - 1))\n".utf8) + noWaiter
  }

  /// The second line when no process waits.
  static let noWaiter = Array("\(String(repeating: " ", count: 2 * digits + 1))\n".utf8)

  /// Reads the record from a file, which may contain anything.
  init(_ bytes: [UInt8]) {
    func number<Number: FixedWidthInteger>(at offset: Int, _ count: Int) -> Number? {
      let digits = bytes.dropFirst(offset).prefix(count).drop { $0 == UInt8(ascii: " ") }
      return Number(String(decoding: digits, as: UTF8.self))
    }
    holder = number(at: 0, LockQueueRecord.offsetOfWaiter - 1)
    if let arrival: UInt64 = number(at: LockQueueRecord.offsetOfWaiter, LockQueueRecord.digits),
      let lastAttempt: UInt64 = number(
        at: LockQueueRecord.offsetOfWaiter + LockQueueRecord.digits + 1, LockQueueRecord.digits)
    {
      waiter = Waiter(arrival: arrival, lastAttempt: lastAttempt)
    }
  }
}

private func padded(_ number: some BinaryInteger, to count: Int) -> String {
  let digits = String(number)
  return String(repeating: " ", count: max(0, count - digits.utf8.count)) + digits
}
