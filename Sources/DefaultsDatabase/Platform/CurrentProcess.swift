#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("CurrentProcess: name this platform's C library here.")
#endif

/// What this process is, where it stands and as whom it runs.
package enum CurrentProcess {
  /// The process's number.
  package static var identifier: Int32 { getpid() }

  /// The user whose rights the process has.
  package static var effectiveUser: UInt32 { geteuid() }

  /// Whether the process has rights that whoever started it need not have, as a set-uid program does.
  ///
  /// Then its environment is a stranger's.
  package static var hasBorrowedRights: Bool {
    getuid() != geteuid() || getgid() != getegid()
  }

  /// Whether somebody sees at once what is written to a descriptor.
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The working directory, or nil where it was removed.
  static var workingDirectory: String? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// The value of an environment variable, or nil.
  package static func environment(_ name: String) -> String? {
    name.withCString { getenv($0) }.map { String(cString: $0) }
  }

  /// Suspends the calling thread.
  static func pause(microseconds: Int) {
    var time = timespec(tv_sec: microseconds / 1_000_000, tv_nsec: microseconds % 1_000_000 * 1000)
    // A signal ends the pause early; the caller looks at the clock anyway.
    nanosleep(&time, nil)
  }
}
