import DefaultsDatabase
import OpenStepPropertyList

/// The keys that wait for a worker thread of this process. A forked child has none of its parent's threads, and begins with
/// none of its parent's keys.
struct WaitingKeys {
  private var keys: Set<PropertyListKey> = []
  private var process: Int32 = 0

  /// Adds a key; false if it waits already.
  mutating func insert(_ key: PropertyListKey) -> Bool {
    let present = CurrentProcess.identifier
    if process != present { (keys, process) = ([], present) }
    return keys.insert(key).inserted
  }

  mutating func remove(_ key: PropertyListKey) {
    keys.remove(key)
  }
}
