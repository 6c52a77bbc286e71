/// Stack space for work that recurses as deep as the largest value nests, on whichever thread.
@usableFromInline
package enum LargeStack {
  /// The stack space that a thread needs to do the work itself.
  ///
  /// Releasing `PropertyList.maximumDepth` containers takes 0.3 megabytes in a debug build on x86-64, and the
  /// tool's own notations take less than a kilobyte for each. The main thread usually has more.
  private static let need = 2 << 20
  /// Takes only address space until it is used.
  private static let size = 16 << 20

  /// Runs a body on this thread or, if its stack has too little space left, on a new
  /// thread, and waits for it.
  ///
  /// The body must touch no file: if the caller has taken a user's rights, the new thread has the process's own. The
  /// body must also release there all that it makes and does not return, since releasing recurses too.
  ///
  /// - Returns: nil if the system provides no thread.
  package static func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    StackSpace.left < need ? try run(stackSize: size, body) : try body()
  }

  /// Runs a body on a new thread, always.
  static func run<Value: Sendable, Failure: Error>(
    stackSize: Int, _ body: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    let outcome = Lock<Result<Value, Failure>?>(nil)
    let isRun = SystemThread.run(stackSize: stackSize) {
      let result = Result { () throws(Failure) in try body() }
      outcome.withLock { $0 = result }
    }
    return isRun ? try outcome.withLock { $0 }?.get() : nil
  }

  /// Runs a body that reads and writes files and releases what it read: on this thread or, if its stack has
  /// too little space left to release the deepest value, on a new thread, and waits for it.
  ///
  /// If the caller has taken a user's rights, or the system provides no thread, the body runs on this thread.
  ///
  /// - Parameter room: How many bytes of stack the body needs.
  @inlinable
  package static func runWithStackToRelease<Value, Failure: Error>(
    room: Int = roomToLetGo, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // Inlined, because generic code takes a process long when it first runs (Architecture, “Start-up”).
    hasRoom(room) ? try body() : try runOnNewThreadToRelease(body)
  }

  @usableFromInline
  static func hasRoom(_ room: Int) -> Bool { StackSpace.left >= room || FileRights.areTaken }

  @usableFromInline
  static func runOnNewThreadToRelease<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result: Result<Value, Failure>? = withoutActuallyEscaping(body) { body in
      let work = Work(body)
      return SystemThread.run(stackSize: size) { work.run() } ? work.result : nil
    }
    guard let result else { return try body() }
    return try result.get()
  }

  /// Swift's runtime takes up to 270 bytes for each of `PropertyList.maximumDepth`
  /// containers that it releases.
  @usableFromInline package static let roomToLetGo = 384 << 10
  /// For work that recurses at each of these levels, also in a debug build.
  package static let recursionRoom = 4 << 20

  private final class Work<Value, Failure: Error>: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that one thread waits for the end of the other.
    private let body: () throws(Failure) -> Value
    private(set) var result: Result<Value, Failure>?

    init(_ body: @escaping () throws(Failure) -> Value) {
      self.body = body
    }

    func run() {
      result = Result { () throws(Failure) in try body() }
    }
  }
}
