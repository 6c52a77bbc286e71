import Foundation

/// A program that is run from its start to its end, with nothing between this process and it that takes time.
struct WholeProcess {
  private let program: String
  private let arguments: [String]

  /// - Parameter expected: What the program has to print, so that contenders do the same.
  init(_ program: String, _ arguments: [String], printing expected: String) throws {
    (self.program, self.arguments) = (program, arguments)
    let printed = try LineProcess(URL(fileURLWithPath: program), arguments).line()
    guard printed == expected else { throw Absence("\(program) prints “\(printed)”") }
  }

  /// The nanoseconds from the start of the program to its end; what it prints goes nowhere.
  func time() throws -> Double {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    let words = ([program] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    var (identifier, status): (pid_t, Int32) = (0, 0)
    let start = monotonicTime()
    // The environment is the one that the benchmark has made for itself.
    guard posix_spawn(&identifier, program, &actions, nil, words + [nil], environ) == 0,
      waitpid(identifier, &status, 0) == identifier, status == 0
    else { throw Absence("\(program) cannot be run") }
    return Double(monotonicTime() - start)
  }
}
