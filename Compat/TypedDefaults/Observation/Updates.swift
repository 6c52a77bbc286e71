import DefaultsDatabase
import DefaultsDomains
import UserDefaultsCompat

extension Defaults {
  /// The values of a key, one for each change from now on, whoever makes it.
  ///
  /// The sequence begins with the call, before anything is read from it, so that no change is missed
  /// between. For a reader that is slow, or none, the newest 1,000 values are kept, and older ones are dropped.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - initial: Whether the first element is the present value.
  public static func updates<Value: Serializable>(_ key: Key<Value>, initial: Bool = true) -> AsyncStream<
    Value
  > {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(KeyObservers.sequenceLimit))
    let writer = Callback { (change: DefaultsDomains.KeyChange) in
      // What the reader makes of one value on several threads is the program's affair, as with any key.
      nonisolated(unsafe) let value = key.value(of: change.new)
      continuation.yield(value)
    }
    let observer = KeyObserver(of: [key], options: initial ? [.initial] : [], handler: writer)
    continuation.onTermination = { _ in observer.invalidate() }
    return stream
  }

  /// The values of several keys, all of them for each change of one; the newest 1,000 elements wait for the reader.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - initial: Whether the first element are the present values.
  @_disfavoredOverload
  public static func updates<each Value: Serializable>(
    _ keys: repeat Key<each Value>, initial: Bool = true
  ) -> AsyncStream<(repeat each Value)> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: (repeat each Value).self, bufferingPolicy: .bufferingNewest(KeyObservers.sequenceLimit))
    let sources = (repeat ValueSource(each keys))
    let writer = LatestWriter(continuation)
    let yield = { writer.write { (repeat (each sources).value) } }
    var all: [AnyKey] = []
    for key in repeat each keys { all.append(key) }
    let observer = KeyObserver(of: all, options: [], handler: Callback { _ in yield() })
    if initial { yield() }
    continuation.onTermination = { _ in observer.invalidate() }
    return stream
  }

  /// Tells of each change of one of several keys, but not of which; the newest 1,000 elements wait for the reader.
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

/// A key and where its values were when the observation began: what is standard is another on other threads.
private struct ValueSource<Value: Defaults.Serializable> {
  private let key: Defaults.Key<Value>
  private let suite: UserDefaults

  init(_ key: Defaults.Key<Value>) {
    self.key = key
    suite = key.suite
  }

  var value: Value { suite[key] }
}

/// Writes what is true at the moment to a sequence, from several threads, and nothing older after it.
private final class LatestWriter<Element>: Sendable {
  private let continuation: AsyncStream<Element>.Continuation
  private let turns = Lock((begun: 0, written: 0))

  init(_ continuation: AsyncStream<Element>.Continuation) {
    self.continuation = continuation
  }

  /// Writes an element, unless one has been written that was made later.
  func write(_ element: () -> Element) {
    let turn = turns.withLock { turns in
      turns.begun += 1
      return turns.begun
    }
    // Made outside the lock, as the program's code may run. Unsafe only in name: nobody else has it yet.
    nonisolated(unsafe) let element = element()
    turns.withLock { turns in
      guard turn > turns.written else { return }
      turns.written = turn
      continuation.yield(element)
    }
  }
}
