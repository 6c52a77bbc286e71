#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("CurrentThread: name this platform's C library here, and check that it has pthread_self.")
#endif

/// The calling thread.
package enum CurrentThread {
  /// A number that no other running thread has; a later thread may get it after this one's end.
  package static var identifier: UInt {
    #if canImport(Glibc)
      pthread_self()
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
}
