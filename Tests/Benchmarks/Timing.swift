import BenchmarkKit
import Foundation

/// The nanoseconds of a clock that all processes share.
func monotonicTime() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Times a pass that is run so often.
@inline(__always)
func time(_ count: Int, _ pass: () throws -> Int) rethrows -> Double {
  var sum = 0
  let start = monotonicTime()
  for _ in 0..<count { sum &+= try pass() }
  let end = monotonicTime()
  blackHole(sum)
  return Double(end - start)
}

/// Times a read of each key, so often; the loop is the same for all sides of a row.
@inline(__always)
func timeReads(_ keys: [String], _ count: Int, _ read: (String) -> Int) -> Double {
  time(count) {
    var sum = 0
    for key in keys { sum &+= read(key) }
    return sum
  }
}

/// Frees what Foundation would else keep on a system that has autorelease pools.
func autoreleasing(_ work: () throws -> Int) rethrows -> Int {
  #if canImport(Darwin)
    try autoreleasepool(invoking: work)
  #else
    try work()
  #endif
}
