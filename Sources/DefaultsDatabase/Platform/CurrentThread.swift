#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("CurrentThread: name this platform's C library here, and check that it has pthread_self.")
#endif

/// The thread that runs.
package enum CurrentThread {
  /// What tells the thread from all others that run now; another one may have it when this thread has ended.
  package static var identifier: UInt {
    #if canImport(Glibc)
      pthread_self()
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
}
