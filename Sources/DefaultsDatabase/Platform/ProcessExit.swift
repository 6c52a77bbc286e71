#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("ProcessExit: name this platform's C library here, and check that it has atexit.")
#endif

/// What a process does at its normal end.
package enum ProcessExit {
  /// Has a body run when `main` returns or `exit` is called; not at a trap or a signal.
  package static func atExit(_ body: @convention(c) @escaping () -> Void) {
    // Fails only for want of memory, which ends a Swift program anyway.
    atexit(body)
  }
}
