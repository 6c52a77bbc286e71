import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList
import UserDefaultsCompat

extension Defaults {
  /// The values of a key, one for each change from now on, including external ones.
  ///
  /// The sequence begins with the call, before it is iterated, so that no change in between is missed. While
  /// the values are not read, the newest 1,000 are kept; fewer if their stored values take more than 64 MB.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - initial: Whether the first element is the present value.
  public static func updates<Value: Serializable>(_ key: Key<Value>, initial: Bool = true) -> AsyncStream<
    Value
  > {
    let (stream, unread) = UnreadElements<Value>.makeSequence()
    let writer = Callback { (change: DefaultsDomains.KeyChange) in
      let new = change.new
      // If the program uses one value on several threads, it has to make that safe, as with any key.
      nonisolated(unsafe) let value = key.value(of: new)
      unread.append(value, byteCount: new?.memoryByteCount ?? 0)
    }
    let observer = KeyObserver(of: [key], options: initial ? [.initial] : [], handler: writer)
    unread.whenEnded { observer.invalidate() }
    return stream
  }

  /// The values of several keys, all of them for each change of one; the newest 1,000
  /// unread elements are kept, or fewer if their stored values take more than 64 MB. A value that stays counts in each
  /// element.
  ///
  /// The values of an element are those of one moment: of what a transaction changes in several of the keys, it
  /// has all or nothing. Of keys in several suites this is so only of each suite's.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - initial: Whether the first element contains the present values.
  @_disfavoredOverload
  public static func updates<each Value: Serializable>(
    _ keys: repeat Key<each Value>, initial: Bool = true
  ) -> AsyncStream<(repeat each Value)> {
    let (stream, unread) = UnreadElements<(repeat each Value)>.makeSequence()
    let sources = (repeat ValueSource(each keys))
    let writer = LatestWriter(to: unread)
    let yield = {
      writer.write {
        var found = Defaults.foundAtOneMoment {
          var found: [PropertyList?] = []
          for source in repeat each sources { found.append(source.found) }
          return found
        }[...]
        let byteCount = found.reduce(0) { $0 + ($1?.memoryByteCount ?? 0) }
        return ((repeat (each sources).value(of: found.removeFirst())), byteCount)
      }
    }
    var all: [AnyKey] = []
    for key in repeat each keys { all.append(key) }
    let observer = KeyObserver(of: all, options: [], handler: Callback { _ in yield() })
    if initial { yield() }
    unread.whenEnded { observer.invalidate() }
    return stream
  }

  /// An element for each change of one of several keys, without the key; the newest 1,000
  /// unread elements are kept.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - initial: Whether the first element comes at once.
  public static func updates(_ keys: [AnyKey], initial: Bool = true) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(KeyObservers.sequenceLimit))
    let observer = KeyObserver(of: keys, options: [], handler: Callback { _ in continuation.yield() })
    if initial { continuation.yield() }
    continuation.onTermination = { _ in observer.invalidate() }
    return stream
  }
}

extension Defaults {
  /// The results of lookups at one moment, as by a double collect: where two rounds find the same, all of it was there at
  /// the end of the first round. Not so where a value changed there and back twice in those few microseconds. If other
  /// threads make changes all the time, the last round counts.
  fileprivate static func foundAtOneMoment(_ lookUp: () -> [PropertyList?]) -> [PropertyList?] {
    var found = lookUp()
    for _ in 0..<100 {
      let again = lookUp()
      if again == found { break }
      found = again
    }
    return found
  }
}

/// A key and its suite at the beginning of the observation: `standard` may be another
/// object on other threads.
private struct ValueSource<Value: Defaults.Serializable> {
  private let key: Defaults.Key<Value>
  private let suite: UserDefaults

  init(_ key: Defaults.Key<Value>) {
    self.key = key
    suite = key.suite
  }

  /// What a lookup finds now.
  var found: PropertyList? { suite.find(key) }

  func value(of found: PropertyList?) -> Value { key.value(of: found) }
}

/// Writes present values to a sequence, from several threads, and never an older value after a newer one.
private final class LatestWriter<Element>: Sendable {
  private let unread: UnreadElements<Element>
  private let turns = Lock((begun: 0, written: 0))

  init(to unread: UnreadElements<Element>) {
    self.unread = unread
  }

  /// Writes an element, unless one that was begun later has been written.
  ///
  /// - Parameter make: Makes the element, and tells about how many bytes its values take.
  func write(_ make: () -> (Element, byteCount: Int)) {
    let turn = turns.withLock { turns in
      turns.begun += 1
      return turns.begun
    }
    // Outside the lock, because it may run the program's code.
    let (made, byteCount) = make()
    // Safe: no other thread has it yet.
    nonisolated(unsafe) let element = made
    var rest = UnreadElements<Element>.Rest()
    turns.withLock { turns in
      guard turn > turns.written else { return }
      turns.written = turn
      unread.append(element, byteCount: byteCount, leaving: &rest)
    }
    // Outside the lock: the reader, and the deinitializer of a value, may set one of the keys.
    rest.complete()
    withExtendedLifetime(element) {}
  }
}
