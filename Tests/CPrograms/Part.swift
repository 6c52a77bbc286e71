// The Swift part of part.m's process: functions for C over the same standard defaults.

import Foundation
import GNUstepCompat
import Synchronization

/// Sets a number for a key.
@c(part_set)
public func partSet(_ key: UnsafePointer<CChar>, _ value: Int) {
  GNUstepUserDefaults.standardUserDefaults().setInteger(value, forKey: String(cString: key))
}

/// The number for a key.
@c(part_get)
public func partGet(_ key: UnsafePointer<CChar>) -> Int {
  GNUstepUserDefaults.standardUserDefaults().integerForKey(String(cString: key))
}

/// How often the notification has been posted to Swift's observers since the first call.
@c(part_count)
public func partCount() -> Int {
  Counter.shared.count
}

/// Sets a number in a thread of its own, and waits for it.
@c(part_set_in_thread)
public func partSetInThread(_ key: UnsafePointer<CChar>, _ value: Int) {
  let key = String(cString: key)
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    GNUstepUserDefaults.standardUserDefaults().setInteger(value, forKey: key)
    done.signal()
  }
  done.wait()
}

/// Counts notifications.
private final class Counter: Sendable {
  static let shared = Counter()

  private let posted = Mutex(0)

  private init() {
    _ = NotificationCenter.default.addObserver(
      forName: NSUserDefaultsDidChangeNotification, object: GNUstepUserDefaults.standardUserDefaults(),
      queue: nil
    ) { [self] _ in posted.withLock { $0 += 1 } }
  }

  var count: Int { posted.withLock { $0 } }
}
