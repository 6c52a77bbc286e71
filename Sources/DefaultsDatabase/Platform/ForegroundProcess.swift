#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("ForegroundProcess: name this platform's C library here, and check that it has posix_spawn.")
#endif

/// A program that uses the terminal of this process, which waits for it: an editor, for example.
package enum ForegroundProcess {
  /// The signals by which a terminal interrupts the programs that run on it.
  private static let interruptions = [SIGINT, SIGQUIT]
  /// How long to pause between two looks whether a program with a deadline has ended, in microseconds.
  private static let pollInterval = 1000

  /// Runs a program with this process's streams and variables, and waits until it has ended.
  ///
  /// As C's `system` does, this process ignores an interruption from the terminal meanwhile: it is meant for the program,
  /// which is in the same process group. Every other signal does what it does usually; to the program a broken pipe also
  /// does, which this process may ignore, and none is blocked. The corresponding C function is `posix_spawn`.
  ///
  /// - Parameter deadline: When the program is killed; nil to wait for as long as it takes.
  /// - Throws: also an error for one that does not end when it is killed, since it waits for a file system.
  package static func run(
    _ program: String, _ arguments: [String], until deadline: MonotonicTime? = nil
  ) throws(SystemError) -> ChildProcess.Ending {
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
    #else
      var attributes = posix_spawnattr_t()
    #endif
    try ChildProcess.check(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    // The calling thread may have all signals blocked, as one has that was started for its stack.
    try ChildProcess.check(posix_spawnattr_setsigmask(&attributes, &signals))
    for number in interruptions + [SIGPIPE] { sigaddset(&signals, number) }
    try ChildProcess.check(posix_spawnattr_setsigdefault(&attributes, &signals))
    let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    try ChildProcess.check(posix_spawnattr_setflags(&attributes, .init(flags)))

    let former = interruptions.map { signal($0, SIG_IGN) }
    defer { for (number, handler) in zip(interruptions, former) { signal(number, handler) } }
    // Where it is ignored, as a program's starter may have left it, the system forgets how the program ended.
    let formerOfChildren = signal(SIGCHLD, SIG_DFL)
    defer { signal(SIGCHLD, formerOfChildren) }
    var identifier: pid_t = 0
    let variables = ChildProcess.variables(changedBy: [:])
    try ChildProcess.check(
      ChildProcess.withCStrings([program] + arguments) { arguments in
        ChildProcess.withCStrings(variables) { variables in
          posix_spawn(&identifier, program, nil, &attributes, arguments, variables)
        }
      })
    var status: Int32 = 0
    var isKilled = false
    while true {
      let result = waitpid(identifier, &status, deadline == nil ? 0 : WNOHANG)
      if result == identifier { return ChildProcess.Ending(waitStatus: status) }
      guard result == 0 || errno == EINTR else { throw SystemError(code: errno) }
      guard let deadline else { continue }
      if MonotonicTime.now >= deadline, !isKilled {
        Signal.kill.send(to: identifier)
        isKilled = true
      }
      // A killed program ends at once, unless it waits in the kernel.
      if isKilled, MonotonicTime.now >= deadline + 1 { throw .timedOut }
      CurrentProcess.pause(microseconds: pollInterval)
    }
  }
}
