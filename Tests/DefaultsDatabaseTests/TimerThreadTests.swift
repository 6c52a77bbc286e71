import DefaultsDatabase
import Foundation
import Testing

struct TimerThreadTests {
  @Test("a time that was set when the system had no thread to give is kept for the next call")
  func noThread() async {
    await #expect(processExitsWith: .success) {
      let ran = DispatchSemaphore(value: 0)
      let thread = TimerThread {
        ran.signal()
        return nil
      }
      var limit = rlimit()
      getrlimit(.addressSpace, &limit)
      // Nothing more can be mapped, a thread's stack in particular.
      var tight = limit
      tight.rlim_cur = 1
      setrlimit(.addressSpace, &tight)
      thread.schedule(at: .now)
      setrlimit(.addressSpace, &limit)
      thread.schedule(at: .now + 0.01)
      precondition(ran.wait(timeout: .now() + 600) == .success)
    }
  }
}

#if canImport(Darwin)
  extension Int32 {
    fileprivate static let addressSpace = RLIMIT_AS
  }
#else
  extension __rlimit_resource_t {
    fileprivate static let addressSpace = __rlimit_resource_t(RLIMIT_AS.rawValue)
  }
#endif
