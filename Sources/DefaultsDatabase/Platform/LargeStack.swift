/// Room for work that recurs as deep as the largest value nests, whichever thread asks for it.
package enum LargeStack {
  /// What a thread must have left to do the work itself.
  ///
  /// To let go of `PropertyList.maximumDepth` containers takes 0.3 megabytes in a build for debugging on x86-64, and
  /// the tool's own notations recur with less than a kilobyte for each. The main thread usually has more.
  private static let need = 2 << 20
  /// Costs address space alone until it is used.
  private static let size = 16 << 20

  /// Runs a body on this thread or, where its stack has too little left, on one of its own, and waits for it.
  ///
  /// The body must touch no file: where the caller has taken on a user's rights, the other thread has them, but passes
  /// through the links of `/proc` (``FileRights``).
  /// What it makes and does not give back, it must also let go of there, since that recurs too.
  ///
  /// - Returns: nil where the system has no thread to give.
  package static func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    StackSpace.left < need ? try run(stackSize: size, body) : try body()
  }

  /// The same always on another thread.
  static func run<Value: Sendable, Failure: Error>(
    stackSize: Int, _ body: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    let outcome = Outcome<Value, Failure>()
    let isRun = SystemThread.run(stackSize: stackSize) {
      outcome.result = Result { () throws(Failure) in try body() }
    }
    return isRun ? try outcome.result?.get() : nil
  }

  /// Runs a body that reads and writes files and lets go of what it read: on this thread or, where its stack has less
  /// room than to let go of the deepest value, on another, for whose end it waits.
  ///
  /// Where the caller has taken on a user's rights, or the system has no thread to give, the body runs here all the same.
  package static func runWithRoomToLetGo<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard StackSpace.left < roomToLetGo, !FileRights.areTaken else { return try body() }
    let result: Result<Value, Failure>? = withoutActuallyEscaping(body) { body in
      let work = Work(body)
      return SystemThread.run(stackSize: size) { work.run() } ? work.result : nil
    }
    guard let result else { return try body() }
    return try result.get()
  }

  /// Swift's runtime takes up to 270 bytes for each of `PropertyList.maximumDepth` containers that it lets go of.
  private static let roomToLetGo = 384 << 10

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

  private final class Outcome<Value: Sendable, Failure: Error>: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that one thread waits for the end of the other.
    var result: Result<Value, Failure>?
  }
}
