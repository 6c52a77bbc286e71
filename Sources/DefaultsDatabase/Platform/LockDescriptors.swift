#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("LockDescriptors: name this platform's C library here, and check that it has pthread_atfork.")
#endif

/// The descriptors of the locks' files, and of locked directories, that this process has open; a child that it forks
/// closes its own copies.
///
/// The lock belongs to the open file, which the child shares. Without this a child that runs on, as a daemon does
/// whose parent ends, would hold the lock of a save of its parent for as long as it lives.
enum LockDescriptors {
  private struct State {
    /// Plain memory, because an array is a generic type: to go through it, the child may need a type that Swift's runtime
    /// has to make, under a lock that another thread of the parent held, which the child would wait for without end.
    var descriptors = UnsafeMutablePointer<Int32>.allocate(capacity: 16)
    var (count, capacity) = (0, 16)
    /// How many times the process has forked.
    var forkCount = 0

    mutating func append(_ descriptor: Int32) {
      if count == capacity {
        let larger = UnsafeMutablePointer<Int32>.allocate(capacity: 2 * capacity)
        larger.initialize(from: descriptors, count: count)
        descriptors.deallocate()
        (descriptors, capacity) = (larger, 2 * capacity)
      }
      (descriptors + count).initialize(to: descriptor)
      count += 1
    }

    mutating func remove(_ descriptor: Int32) {
      guard let index = (0..<count).first(where: { descriptors[$0] == descriptor }) else { return }
      // In place of the removed one comes the last one.
      count -= 1
      descriptors[index] = descriptors[count]
    }
  }

  private static let shared: Lock<State> = {
    // The child must not find the state half changed. What runs in it needs no type that the runtime would have to make
    // (see `State.descriptors`).
    pthread_atfork(
      { pthread_mutex_lock(shared.mutex) },
      {
        shared.state.pointee.forkCount += 1
        pthread_mutex_unlock(shared.mutex)
      },
      {
        let state = shared.state
        while state.pointee.count > 0 {
          state.pointee.count -= 1
          close(state.pointee.descriptors[state.pointee.count])
        }
        pthread_mutex_unlock(shared.mutex)
      })
    return Lock(State())
  }()

  /// Opens a lock's file.
  ///
  /// - Parameter open: Opens it. It is called again if the process has forked meanwhile, after `close`: the child
  ///   has a copy of the descriptor that it does not know.
  static func opening(
    _ open: () throws(SystemError) -> Int32, close: (Int32) -> Void
  ) throws(SystemError) -> Int32 {
    while true {
      let forkCount = shared.withLock { $0.forkCount }
      let descriptor = try open()
      let isKnown = shared.withLock { state in
        guard state.forkCount == forkCount else { return false }
        state.append(descriptor)
        return true
      }
      if isKnown { return descriptor }
      close(descriptor)
    }
  }

  /// Forgets a descriptor that is about to be closed, if it is a lock's.
  static func forget(_ descriptor: Int32) {
    shared.withLock { $0.remove(descriptor) }
  }
}
