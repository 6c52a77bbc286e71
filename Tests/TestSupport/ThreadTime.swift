import Foundation

/// The processor time that the calling thread has used, which other work on a busy machine does not lengthen.
public func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
