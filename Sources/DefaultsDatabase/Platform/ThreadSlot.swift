#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("ThreadSlot: name this platform's C library here, and check that it has POSIX threads.")
#endif

/// A variable of which each thread has its own contents, nil at first; it stays for good.
package struct ThreadSlot: Sendable {
  /// Nil where the system has no key left: then the contents stay nil.
  private let key: pthread_key_t?

  package init() {
    var key = pthread_key_t()
    self.key = pthread_key_create(&key, nil) == 0 ? key : nil
  }

  package var contents: UnsafeMutableRawPointer? {
    get { key.flatMap { pthread_getspecific($0) } }
    nonmutating set { if let key { pthread_setspecific(key, newValue) } }
  }
}
