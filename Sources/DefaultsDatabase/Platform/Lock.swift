#if canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#elseif canImport(Darwin)
  public import Darwin
#else
  #error("Lock: name this platform's C library here, and check that it has pthread_mutex_t.")
#endif

/// A mutex with the value that it guards.
///
/// Built on `pthread_mutex_t`, because the thread sanitizer understands it; with the standard library's
/// `Mutex` it reports false races on Linux. Not recursive: a thread that takes a lock that it already holds
/// waits forever. The state needs a size: a state of `Void` would share its address with another variable,
/// and the sanitizer would report races between the two.
@usableFromInline package struct Lock<State>: ~Copyable, @unchecked Sendable {
  // Unchecked, because the compiler cannot see that the mutex guards the state: every access to it
  // is inside withLock.

  /// The mutex, and behind it the state.
  ///
  /// Raw memory in place of an object of a generic class, of which there would be a dozen before the first
  /// lookup (Architecture, “Start-up”).
  @usableFromInline let memory: UnsafeMutableRawPointer

  @inlinable static var offsetOfState: Int {
    let alignment = MemoryLayout<State>.alignment
    return (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
  }

  @inlinable var mutex: UnsafeMutablePointer<pthread_mutex_t> {
    memory.assumingMemoryBound(to: pthread_mutex_t.self)
  }

  @inlinable var state: UnsafeMutablePointer<State> {
    (memory + Lock.offsetOfState).assumingMemoryBound(to: State.self)
  }

  @inlinable package init(_ state: consuming sending State) {
    memory = .allocate(
      byteCount: Lock.offsetOfState + MemoryLayout<State>.size,
      alignment: max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<State>.alignment))
    memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
    (memory + Lock.offsetOfState).initializeMemory(as: State.self, to: state)
    let failure = pthread_mutex_init(mutex, nil)
    precondition(failure == 0, "pthread_mutex_init failed: \(failure)")
  }

  @inlinable deinit {
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    state.deinitialize(count: 1)
    memory.deallocate()
  }

  /// Runs a body with exclusive access to the state; the body must not take this lock again.
  @inlinable @inline(__always) package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if pthread_mutex_trylock(mutex) != 0 { waitForMutex(mutex) }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state.pointee)
  }
}

/// Takes a mutex that another thread holds.
///
/// A thread that has taken a user's rights has the process's own while it waits: the holder may be starting a thread, for
/// which it waits while the C library changes the user of all threads, and that waits for threads with a user's rights.
@usableFromInline func waitForMutex(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) {
  _ = FileRights.withOwn { pthread_mutex_lock(mutex) }
}
