#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("MonotonicTime: name this platform's C library here, and check that it has CLOCK_MONOTONIC.")
#endif

/// A time of the monotonic clock, in nanoseconds since its start.
package struct MonotonicTime: Comparable, Sendable {
  package let nanoseconds: UInt64

  private init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  package static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The time so many seconds later.
  package static func + (time: MonotonicTime, seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds + UInt64(max(0, seconds) * 1e9))
  }

  /// The span since an earlier time, as a time since the clock's start.
  static func - (time: MonotonicTime, earlier: MonotonicTime) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds - min(earlier.nanoseconds, time.nanoseconds))
  }

  /// The seconds since an earlier time; 0 since a later one.
  package func seconds(since earlier: MonotonicTime) -> Double {
    Double((self - earlier).nanoseconds) / 1e9
  }

  var timespecValue: timespec {
    timespec(
      tv_sec: time_t(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
