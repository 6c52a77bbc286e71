#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("StackSpace: name this platform's C library here, and how it tells where a thread's stack ends.")
#endif

/// How much stack the calling thread has left, for work that recurs as deep as a program's values nest.
package struct StackSpace: Sendable {
  private static let shared = StackSpace()

  /// Caches the end of each thread's stack: for the main thread the C library has to read a file.
  private let key: pthread_key_t?

  private init() {
    var key = pthread_key_t()
    self.key = pthread_key_create(&key, nil) == 0 ? key : nil
  }

  /// The bytes between what the calling thread uses and the end of its stack.
  package static var left: Int {
    var here: UInt8 = 0
    let end = shared.end
    return withUnsafeMutablePointer(to: &here) { Int(bitPattern: $0) &- end }
  }

  /// The lowest address of the calling thread's stack.
  private var end: Int {
    if let key, let known = pthread_getspecific(key) { return Int(bitPattern: known) }
    let end = StackSpace.lowestAddress
    if let key { pthread_setspecific(key, UnsafeRawPointer(bitPattern: end)) }
    return end
  }

  private static var lowestAddress: Int {
    #if canImport(Darwin)
      // The system gives the stack's upper end, where it begins.
      let thread = pthread_self()
      return Int(bitPattern: pthread_get_stackaddr_np(thread)) - pthread_get_stacksize_np(thread)
    #else
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
}

#if !canImport(Darwin)
  /// An extension of the C libraries of Linux, which their headers show only on request.
  @_silgen_name("pthread_getattr_np")
  private func getAttributes(of thread: pthread_t, _ attributes: UnsafeMutablePointer<pthread_attr_t>)
    -> CInt
#endif
