package import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("ReaderCounters: name this platform's C library here, and check that it has pthread_key_t.")
#endif

/// Counters of the threads that read shared memory without a lock: the readers' side of deferred
/// reclamation (compare RCU).
///
/// A reader increments its thread's counter before it loads any shared pointer, and decrements it when it
/// uses none any more. Memory to which no shared pointer leads may be freed as soon as each counter has been
/// zero once since then. Incrementing, and loading and storing the pointers, has to be sequentially
/// consistent: otherwise a reader might load an old pointer after the writer has found its counter at zero.
///
/// With one counter for all threads, its cache line would move between all cores at every read, and two
/// threads together would read less than one alone. So there are as many counters as a mask has bits, each on
/// cache lines of its own, and threads get them round-robin. With more threads several share a counter; if
/// they read without a pause it may rarely be zero, and memory is freed later, but never too early.
package struct ReaderCounters: @unchecked Sendable {
  // Unchecked, because of the pointer; what it leads to is atomic and never freed.

  /// The counters of this process.
  package static let shared = ReaderCounters()

  private static let count = UInt64.bitWidth
  /// Processors fetch lines of 64 bytes in pairs.
  private static let stride = 128

  private let key: pthread_key_t
  private let counters: UnsafeMutableRawPointer
  /// How many threads have got a counter.
  private let dealt: UnsafeMutablePointer<Atomic<Int>>

  private init() {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key, nil)
    precondition(failure == 0, "pthread_key_create failed: \(failure)")
    self.key = key
    let (count, stride) = (ReaderCounters.count, ReaderCounters.stride)
    counters = .allocate(byteCount: count * stride, alignment: stride)
    for index in 0..<count {
      (counters + index * stride).bindMemory(to: Atomic<Int>.self, capacity: 1).initialize(to: Atomic(0))
    }
    dealt = .allocate(capacity: 1)
    dealt.initialize(to: Atomic(0))
  }

  /// The calling thread's counter, which other threads may share.
  package var ofThisThread: UnsafeMutablePointer<Atomic<Int>> {
    if let counter = pthread_getspecific(key) { return counter.assumingMemoryBound(to: Atomic<Int>.self) }
    // In one total order with the rest: a search for busy counters must not overlook this one.
    let (turn, _) = dealt.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    let counter = self[turn & (ReaderCounters.count - 1)]
    // If the system cannot store it, the thread gets another counter each time, which is correct too.
    pthread_setspecific(key, counter)
    return counter
  }

  /// The counters of a set, one bit each, that are not zero now.
  package func busy(among candidates: UInt64 = .max) -> UInt64 {
    var candidates = candidates
    let dealt = dealt.pointee.load(ordering: .sequentiallyConsistent)
    if dealt < ReaderCounters.count { candidates &= (1 << UInt64(max(0, dealt))) - 1 }
    var result: UInt64 = 0
    while candidates != 0 {
      let index = candidates.trailingZeroBitCount
      candidates &= candidates - 1
      if self[index].pointee.load(ordering: .sequentiallyConsistent) != 0 { result |= 1 << UInt64(index) }
    }
    return result
  }

  private subscript(index: Int) -> UnsafeMutablePointer<Atomic<Int>> {
    (counters + index * ReaderCounters.stride).assumingMemoryBound(to: Atomic<Int>.self)
  }
}
