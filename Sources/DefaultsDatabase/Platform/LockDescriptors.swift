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
    var descriptors: [Int32] = []
    /// How many times the process has forked.
    var forkCount = 0
  }

  private static let shared: Lock<State> = {
    // The child must not find the state half changed.
    pthread_atfork(
      { pthread_mutex_lock(shared.mutex) },
      {
        shared.state.pointee.forkCount += 1
        pthread_mutex_unlock(shared.mutex)
      },
      {
        for descriptor in shared.state.pointee.descriptors { close(descriptor) }
        shared.state.pointee.descriptors.removeAll(keepingCapacity: true)
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
        state.descriptors.append(descriptor)
        return true
      }
      if isKnown { return descriptor }
      close(descriptor)
    }
  }

  /// Forgets a descriptor that is about to be closed, if it is a lock's.
  static func forget(_ descriptor: Int32) {
    shared.withLock { state in
      guard let index = state.descriptors.firstIndex(of: descriptor) else { return }
      state.descriptors.remove(at: index)
    }
  }
}
