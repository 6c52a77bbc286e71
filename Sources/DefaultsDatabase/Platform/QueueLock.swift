#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("QueueLock: name this platform's C library here, and check that it has pthread_cond_t.")
#endif

/// A value that threads get one at a time, in the order in which they ask for it.
///
/// For work that takes long: with a plain mutex, a thread that asks again and again may shut out the
/// others for as long as it likes. Not recursive.
package struct QueueLock<State>: ~Copyable, @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the turns guard the state: every access to it is inside withLock.
  @usableFromInline let turns = Turns()
  // Raw, since a generic pointer's functions are others for each type.
  @usableFromInline let memory: UnsafeMutableRawPointer
  @inlinable var state: UnsafeMutablePointer<State> { memory.assumingMemoryBound(to: State.self) }

  @inlinable package init(_ state: consuming sending State) {
    memory = .allocate(
      byteCount: MemoryLayout<State>.size, alignment: MemoryLayout<State>.alignment)
    memory.initializeMemory(as: State.self, to: state)
  }

  @inlinable deinit {
    state.deinitialize(count: 1)
    memory.deallocate()
  }

  /// Runs a body that alone has the state; whatever it calls must not take this lock again.
  @inlinable package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    turns.begin()
    defer { turns.end() }
    return try body(&state.pointee)
  }
}

/// Turns that threads have one at a time, in the order in which they ask.
@usableFromInline
final class Turns {
  private var nextNumber: UInt64 = 0
  private var numberServed: UInt64 = 0
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  @usableFromInline init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    var failure = pthread_mutex_init(mutex, nil)
    precondition(failure == 0, "pthread_mutex_init failed: \(failure)")
    failure = pthread_cond_init(condition, nil)
    precondition(failure == 0, "pthread_cond_init failed: \(failure)")
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deinitialize(count: 1)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  @usableFromInline func begin() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let number = nextNumber
    nextNumber += 1
    while number != numberServed { pthread_cond_wait(condition, mutex) }
  }

  @usableFromInline func end() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    numberServed += 1
    pthread_cond_broadcast(condition)
  }
}
