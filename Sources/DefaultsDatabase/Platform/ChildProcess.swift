// Without concurrency checks: the C library's `environ` is a variable, of which its headers do not say who may use it.
#if canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Musl)
  @preconcurrency import Musl
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#else
  #error("ChildProcess: name this platform's C library here, and check that it has posix_spawn.")
#endif

/// A program that this process has started.
///
/// The child is in a process group of its own, so that an interruption from the terminal reaches the parent alone. It
/// has no descriptors but the standard streams, and signals do in it what they usually do.
package final class ChildProcess: Sendable {
  /// How a process ended.
  package enum Ending: Hashable, Sendable {
    /// By itself, with a status.
    case status(Int32)
    /// By a signal.
    case signal(Signal)

    /// Reads what `waitpid` gives, as the macros WIFEXITED, WEXITSTATUS and WTERMSIG of all systems do.
    init(waitStatus status: Int32) {
      let signal = status & 0x7F
      self = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(Signal(number: signal))
    }
  }

  /// The process's number.
  package let identifier: Int32
  private let reaper: Reaper

  /// Starts a program, without standard input and output.
  ///
  /// The corresponding C function is `posix_spawn`.
  ///
  /// - Parameters:
  ///   - arguments: What stands behind the program's name.
  ///   - environment: Variables that are added to this process's, or take the place of its own.
  ///   - standardError: The path of a file that must not exist yet, for what the program writes to standard error.
  package init(
    program: String, arguments: [String], environment: [String: String], standardError: String
  ) throws(SystemError) {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      let closing = POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      let closing: Int32 = 0
    #endif
    try ChildProcess.check(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    try ChildProcess.check(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }

    for stream in [STDIN_FILENO, STDOUT_FILENO] {
      try ChildProcess.check(posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0))
    }
    try ChildProcess.check(
      posix_spawn_file_actions_addopen(
        &actions, STDERR_FILENO, standardError, O_WRONLY | O_CREAT | O_EXCL, 0o600))
    for descriptor in ChildProcess.inheritedDescriptors() {
      try ChildProcess.check(posix_spawn_file_actions_addclose(&actions, descriptor))
    }

    var signals = sigset_t()
    sigemptyset(&signals)
    try ChildProcess.check(posix_spawnattr_setsigmask(&attributes, &signals))
    sigfillset(&signals)
    // Nothing can be set for these two.
    for number in [SIGKILL, SIGSTOP] { sigdelset(&signals, number) }
    try ChildProcess.check(posix_spawnattr_setsigdefault(&attributes, &signals))
    let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    try ChildProcess.check(posix_spawnattr_setflags(&attributes, .init(flags | Int32(closing))))

    var identifier: pid_t = 0
    let variables = ChildProcess.variables(changedBy: environment)
    try ChildProcess.check(
      ChildProcess.withCStrings([program] + arguments) { arguments in
        ChildProcess.withCStrings(variables) { variables in
          posix_spawn(&identifier, program, &actions, &attributes, arguments, variables)
        }
      })
    self.identifier = identifier
    reaper = Reaper(of: identifier)
    reaper.start()
  }

  /// Whether the process has not ended.
  package var isRunning: Bool { ending == nil }

  /// How the process ended; nil where it has not.
  ///
  /// The corresponding C function is `waitpid`.
  package var ending: Ending? { reaper.ending }

  /// Sends a signal, unless the process has ended and its number may be another's.
  package func send(_ signal: Signal) { reaper.send(signal) }

  /// Reaps the process when it ends, so that none is left as a zombie, which may outlive the object.
  ///
  /// Other code that waits for any child, as a library for tests does, would find a zombie again and again.
  private final class Reaper: Sendable {
    private let identifier: Int32
    /// Holds the ending once the process is reaped; its number may be another's after that.
    private let state = Lock<Ending?>(nil)

    init(of identifier: Int32) {
      self.identifier = identifier
    }

    /// Begins to wait on a thread of its own. Where the system provides none, ``ending`` alone reaps the process.
    func start() {
      _ = SystemThread.start {
        var information = siginfo_t()
        // The process is left as it is here: its number stays its own until the lock is held.
        while waitid(P_PID, id_t(self.identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        _ = self.ending
      }
    }

    var ending: Ending? {
      state.withLock { known in
        if known == nil { known = reap() }
        return known
      }
    }

    func send(_ signal: Signal) {
      state.withLock { known in
        if known == nil { known = reap() }
        if known == nil { signal.send(to: identifier) }
      }
    }

    private func reap() -> Ending? {
      var status: Int32 = 0
      let result = waitpid(identifier, &status, WNOHANG)
      if result == 0 || (result < 0 && errno == EINTR) { return nil }
      // The system forgets the ends of its children where the program ignores them.
      if result < 0 { status = 0xFF00 }
      return Ending(waitStatus: status)
    }
  }

  // MARK: - What a child is given

  /// The descriptors of this process that its children would have too, but for the standard streams.
  private static func inheritedDescriptors() -> [Int32] {
    #if canImport(Darwin)
      // The system closes them by itself.
      return []
    #else
      do throws(SystemError) {
        return try DiskFileSystem().names(inDirectory: "/dev/fd").compactMap { Int32($0) }.filter {
          $0 > STDERR_FILENO
        }
      } catch {
        // Without that directory nobody tells which there are; those of this package are closed by the system.
        return []
      }
    #endif
  }

  /// The variables of this process as a child gets them, each as `NAME=value`.
  static func variables(changedBy changes: [String: String]) -> [[CChar]] {
    var next = environ
    var variables: [[CChar]] = changes.map { Array("\($0.key)=\($0.value)".utf8CString) }
    let names = changes.keys.map { Array($0.utf8).map(CChar.init(bitPattern:)) + [equals] }
    // The vector ends with a null pointer. The bytes are handed on as they are, since not all need to be UTF-8.
    while let variable = next.pointee {
      let bytes = Array(UnsafeBufferPointer(start: variable, count: strlen(variable) + 1))
      if !names.contains(where: bytes.starts(with:)) { variables.append(bytes) }
      next += 1
    }
    return variables
  }

  private static let equals = CChar(bitPattern: UInt8(ascii: "="))

  static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    withCStrings(strings.map { Array($0.utf8CString) }, body)
  }

  /// Runs a body with a vector of C strings that ends with a null pointer, and lives until the body returns.
  static func withCStrings<Result>(
    _ strings: [[CChar]], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { string in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.count)
      copy.initialize(from: string, count: string.count)
      return copy
    }
    defer { for copy in copies { copy.deallocate() } }
    return body(copies + [nil])
  }

  /// Turns the result of one of the calls of `posix_spawn`, which set no `errno`, into an error.
  static func check(_ code: Int32) throws(SystemError) {
    if code != 0 { throw SystemError(code: code) }
  }
}
