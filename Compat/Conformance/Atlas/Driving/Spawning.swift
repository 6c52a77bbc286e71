import DefaultsDatabase
import Foundation

/// Starts programs in a process group of their own.
enum Spawning {
  /// No program is started while pipes are made, or files written, that it must not get.
  static let turn = Lock(())

  /// Starts a program with exactly these variables, in a folder, and with three streams.
  static func start(
    program: String, arguments: [String], environment: [String: String], folder: String, streams: [Int32]
  ) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      let closing = Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      let closing: Int32 = 0
    #endif
    try check(posix_spawn_file_actions_init(&actions), program)
    defer { posix_spawn_file_actions_destroy(&actions) }
    try check(posix_spawnattr_init(&attributes), program)
    defer { posix_spawnattr_destroy(&attributes) }
    for (stream, end) in streams.enumerated() {
      try check(posix_spawn_file_actions_adddup2(&actions, end, Int32(stream)), program)
    }

    // Signals do in the program what they usually do.
    var signals = sigset_t()
    sigemptyset(&signals)
    try check(posix_spawnattr_setsigmask(&attributes, &signals), program)
    sigfillset(&signals)
    for number in [SIGKILL, SIGSTOP] { sigdelset(&signals, number) }
    try check(posix_spawnattr_setsigdefault(&attributes, &signals), program)
    let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    try check(posix_spawnattr_setflags(&attributes, .init(flags | closing)), program)

    // Not every C library lets a program be started in another folder. The shell leaves no variables of its own.
    let change = "cd \"$0\" && unset PWD OLDPWD SHLVL _ && exec \"$@\""
    let words = (["sh", "-c", change, folder, program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var identifier: pid_t = 0
    let code = turn.withLock { _ in
      posix_spawn(&identifier, "/bin/sh", &actions, &attributes, words, variables)
    }
    try check(code, program)
    return identifier
  }

  private static func check(_ code: Int32, _ program: String) throws {
    guard code == 0 else {
      throw NotSupported(what: "to start \(program): \(String(cString: strerror(code)))")
    }
  }
}
