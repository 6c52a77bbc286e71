package import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Who is reading shared memory at this moment without a lock, counted so that nothing they look at is freed.
///
/// A reader adds one to the counter of its thread before it loads any shared pointer, and takes one
/// off when it will use none any more. Memory that no shared pointer leads to any longer may be
/// freed as soon as each counter was zero once since. Adding, and loading and storing the pointers,
/// has to be sequentially consistent: else a reader might load an old pointer after its writer found
/// the counter at zero.
///
/// One counter for all threads would be a cache line that every core wants at every read: two
/// threads together would then read less than one. So there are as many as a mask has bits, each on
/// lines of its own, and threads are dealt one each in turn.
package struct ReaderCounters: @unchecked Sendable {
  // Unchecked, because of the pointer; what it leads to is atomic and never freed.

  /// The counters of this process.
  package static let shared = ReaderCounters()

  private static let count = UInt64.bitWidth
  /// Processors fetch lines of 64 bytes in pairs.
  private static let stride = 128

  private let key: pthread_key_t
  private let counters: UnsafeMutableRawPointer
  /// How many threads have been dealt one.
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

  /// The counter of the calling thread, which may be other threads' as well.
  package var ofThisThread: UnsafeMutablePointer<Atomic<Int>> {
    if let counter = pthread_getspecific(key) { return counter.assumingMemoryBound(to: Atomic<Int>.self) }
    // In one order with the rest: who looks for busy counters must not overlook this one.
    let (turn, _) = dealt.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    let counter = self[turn & (ReaderCounters.count - 1)]
    // Where the system cannot keep it, the thread is dealt another each time, and that is no less right.
    pthread_setspecific(key, counter)
    return counter
  }

  /// Of a set of counters, a bit each, those that are not zero now.
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
