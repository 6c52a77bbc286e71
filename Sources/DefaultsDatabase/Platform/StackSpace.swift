#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("StackSpace: name this platform's C library here, and how it tells where a thread's stack ends.")
#endif

/// How much stack the calling thread has left, for work that recurses as deep as a program's values nest.
package struct StackSpace: Sendable {
  private static let shared = StackSpace()

  /// The end of each thread's stack, once that was found out.
  private let known = ThreadSlot()

  private init() {}

  /// The bytes between what the calling thread uses and the end of its stack.
  package static var left: Int {
    var here: UInt8 = 0
    let end = shared.end
    return withUnsafeMutablePointer(to: &here) { Int(bitPattern: $0) &- end }
  }

  /// The lowest address of the calling thread's stack.
  private var end: Int {
    if let end = known.contents { return Int(bitPattern: end) }
    let end = StackSpace.lowestAddress
    known.contents = UnsafeMutableRawPointer(bitPattern: end)
    return end
  }

  private static var lowestAddress: Int {
    #if canImport(Darwin)
      // The system gives the stack's upper end, where it begins.
      let thread = pthread_self()
      return Int(bitPattern: pthread_get_stackaddr_np(thread)) - pthread_get_stacksize_np(thread)
    #else
      if let address = mainThreadsLowestAddress { return address }
      let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
      defer { attributes.deallocate() }
      // Where the system does not tell, the stack counts as unlimited.
      guard getAttributes(of: pthread_self(), attributes) == 0 else { return 0 }
      defer { pthread_attr_destroy(attributes) }
      var address: UnsafeMutableRawPointer?
      var size = 0
      guard pthread_attr_getstack(attributes, &address, &size) == 0 else { return 0 }
      return Int(bitPattern: address)
    #endif
  }

  #if !canImport(Darwin)
    /// The lowest address to which the main thread's stack may grow, or a little above it; nil on other threads,
    /// and where the system's limit for a stack is larger than the space that it keeps free for one.
    ///
    /// The C library gives it, too, but reads a list of the process's whole memory for that: an eighth of the
    /// time in which a short program opens its defaults.
    static var mainThreadsLowestAddress: Int? {
      var here: UInt8 = 0
      var limit = rlimit()
      // The program's path lies at the upper end of the main thread's stack.
      let path = auxiliaryValue(auxiliaryPath)
      guard path != 0, getrlimit(stackLimit, &limit) == 0, limit.rlim_cur <= greatestStack else { return nil }
      let page = sysconf(CInt(_SC_PAGESIZE))
      let top = (Int(bitPattern: path) / page + 2) * page
      let lowest = top - Int(limit.rlim_cur)
      let address = withUnsafeMutablePointer(to: &here) { Int(bitPattern: $0) }
      return (lowest..<top).contains(address) ? lowest : nil
    }

    /// The number of the system's limit for the main thread's stack.
    private static let stackLimit: CInt = 3
    /// The number of the value by which the system gives a new program the address of its path.
    private static let auxiliaryPath: UInt = 31
    /// The system keeps at least 128 MB free for the main thread's stack; no other thread's stack is there.
    private static let greatestStack: UInt = 64 << 20
  #endif
}

#if !canImport(Darwin)
  // Extensions of the C libraries of Linux, which Swift's modules of their headers do not show.
  @_silgen_name("getauxval")
  private func auxiliaryValue(_ type: UInt) -> UInt
  @_silgen_name("pthread_getattr_np")
  private func getAttributes(of thread: pthread_t, _ attributes: UnsafeMutablePointer<pthread_attr_t>)
    -> CInt
#endif
