import DefaultsDatabase

/// The elements of an asynchronous sequence that nobody has read yet: a queue that keeps the newest ones.
///
/// A program may read more slowly than threads and other processes change a key, or not at all. So the number of the
/// elements is bounded, and the memory of their values (``KeyObservers/sequenceLimit``,
/// ``KeyObservers/waitingByteLimit``). `AsyncStream` by itself bounds their number only.
package final class UnreadElements<Element>: Sendable {
  fileprivate typealias Reader = CheckedContinuation<Element?, Never>

  /// An element, or nil for one that has been removed, and about how many bytes its values take.
  fileprivate typealias Unread = (element: Element?, byteCount: Int)

  private struct State {
    var elements: [Unread] = []
    /// The index of the first one; those before it have been read or dropped.
    var front = 0
    /// About how many bytes the values of all elements take.
    var byteCount = 0
    /// The tasks that wait for an element; there is none then.
    var readers: [Reader] = []
    var hasEnded = false
    /// Called when the sequence ends.
    var whenEnded: (@Sendable () -> Void)?

    var count: Int { elements.count - front }

    /// Removes the oldest element; nil if there is none.
    mutating func removeFirst() -> Unread? {
      guard count > 0 else { return nil }
      let first = elements[front]
      byteCount -= first.byteCount
      elements[front].element = nil
      front += 1
      // At half, so that each one is moved once on average.
      if front > elements.count / 2 {
        elements.removeFirst(front)
        front = 0
      }
      return first
    }
  }

  private let state = Lock(State())

  private init() {}

  /// Makes a sequence for one loop, and the queue for its elements.
  ///
  /// It ends with the task that iterates, and when it is released.
  package static func makeSequence() -> (sequence: AsyncStream<Element>, unread: UnreadElements) {
    let unread = UnreadElements()
    let owner = Owner(of: unread)
    return (
      AsyncStream {
        await owner.unread.next()
      } onCancel: {
        unread.cancel()
      }, unread
    )
  }

  /// Ends the queue when the sequence is released, which alone has the owner.
  private final class Owner: Sendable {
    let unread: UnreadElements

    init(of unread: UnreadElements) { self.unread = unread }

    deinit { unread.cancel() }
  }

  /// Adds an element, and drops the oldest ones beyond the bounds.
  ///
  /// - Parameter byteCount: About how many bytes its values take.
  package func append(_ element: sending Element, byteCount: Int) {
    var rest = Rest()
    append(element, byteCount: byteCount, leaving: &rest)
    rest.complete()
  }

  /// What the addition of an element leaves to be done without a lock, because it may run the program's code.
  package struct Rest: @unchecked Sendable {
    // Unchecked, because nobody else has the elements: they were sent to the queue, and are not in it.
    /// Elements that have been dropped, whose deinitializers may run the program's code.
    fileprivate var dropped: [Unread] = []
    /// The task that gets the new element; a task executor of the program may run it at once.
    fileprivate var reader: (continuation: Reader, element: Element)?

    package init() {}

    /// Resumes the reader and releases what was dropped; no lock may be held.
    package mutating func complete() {
      if let reader {
        self.reader = nil
        // Safe: see above.
        nonisolated(unsafe) let element = reader.element
        reader.continuation.resume(returning: element)
      }
      UnreadElements.release(&dropped)
    }
  }

  /// Adds an element, and drops the oldest ones beyond the bounds, for a caller that holds a lock and completes the rest
  /// without it.
  package func append(_ element: sending Element, byteCount: Int, leaving rest: inout Rest) {
    let reader = state.withLock { state -> Reader? in
      if state.hasEnded { return nil }
      if !state.readers.isEmpty { return state.readers.removeFirst() }
      state.elements.append((element, byteCount))
      state.byteCount += byteCount
      while state.count > KeyObservers.sequenceLimit
        || state.count > 1 && state.byteCount > KeyObservers.waitingByteLimit
      {
        if let first = state.removeFirst() { rest.dropped.append(first) }
      }
      return nil
    }
    if let reader { rest.reader = (reader, element) }
  }

  /// Ends the sequence behind its last element.
  package func finish() {
    end { _ in }
  }

  /// Has a closure called when the sequence ends, or now if it has ended.
  package func whenEnded(_ body: @escaping @Sendable () -> Void) {
    let hasEnded = state.withLock { state in
      if !state.hasEnded { state.whenEnded = body }
      return state.hasEnded
    }
    if hasEnded { body() }
  }

  /// Ends the sequence; nobody reads what is left.
  private func cancel() {
    var unread: [Unread] = []
    end { state in
      swap(&unread, &state.elements)
      (state.front, state.byteCount) = (0, 0)
    }
    UnreadElements.release(&unread)
  }

  /// Releases elements, without the lock, on any thread: it may have too little stack for a deep value. Without memory of
  /// its own a value has no container.
  private static func release(_ elements: inout [Unread]) {
    if elements.contains(where: { $0.byteCount > 0 }) {
      LargeStack.runWithStackToRelease { elements = [] }
    }
  }

  private func end(_ change: (inout State) -> Void) {
    let (readers, whenEnded) = state.withLock { state in
      state.hasEnded = true
      change(&state)
      defer { (state.readers, state.whenEnded) = ([], nil) }
      return (state.readers, state.whenEnded)
    }
    for reader in readers { reader.resume(returning: nil) }
    whenEnded?()
  }

  /// The next element, as soon as there is one; nil at the end.
  private func next() async -> Element? {
    await withCheckedContinuation { reader in
      var element: Element?
      let isWaiting = state.withLock { state in
        element = state.removeFirst()?.element
        if element != nil || state.hasEnded { return false }
        state.readers.append(reader)
        return true
      }
      if !isWaiting { reader.resume(returning: element) }
    }
  }
}
