import Foundation
import TestSupport
import Testing

@testable import DefaultsDatabase

struct ChildProcessTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// Runs a shell script to its end; its standard error goes to the file `err`.
  private func run(_ script: String, environment: [String: String] = [:]) throws -> ChildProcess.Ending? {
    try start(script, environment: environment).awaitEnding()
  }

  private func start(_ script: String, environment: [String: String] = [:]) throws -> ChildProcess {
    try ChildProcess(
      program: "/bin/sh", arguments: ["-c", script], environment: environment,
      standardError: home.path("err"))
  }

  private var errors: String {
    get throws { try String(contentsOfFile: home.path("err"), encoding: .utf8) }
  }

  @Test("a process that ends by itself has its status, and one that is killed its signal")
  func endings() throws {
    #expect(try run("exit 7") == .status(7))
    try FileManager.default.removeItem(atPath: home.path("err"))
    let process = try start("exec sleep 100")
    #expect(process.isRunning && process.ending == nil)
    process.send(.kill)
    #expect(process.awaitEnding() == .signal(.kill))
    // The number may be another's by now; nothing is sent to it.
    process.send(.kill)
    #expect(process.ending == .signal(.kill))
  }

  @Test("a process has this one's variables, changed ones, and new ones, each once")
  func environment() throws {
    let path = try #require(CurrentProcess.preference("PATH"))
    let script = "env | grep -c '^PATH=' >&2; echo \"$PATH $NEW\" >&2"
    #expect(try run(script, environment: ["NEW": "a=b c"]) == .status(0))
    #expect(try errors == "1\n\(path) a=b c\n")
    try FileManager.default.removeItem(atPath: home.path("err"))
    #expect(try run(script, environment: ["PATH": "/usr/bin:/bin", "PAT": "x"]) == .status(0))
    #expect(try errors == "1\n/usr/bin:/bin \n")
  }

  @Test("standard input and output are empty, and no descriptor of this process is handed on")
  func descriptors() throws {
    let pipe = Pipe()
    let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    // A program may have made one that its children are to have.
    let inherited = dup(writing.fileDescriptor)
    #expect(fcntl(inherited, F_GETFD) & FD_CLOEXEC == 0)
    try writing.close()
    let process = try start("cat; echo out; echo err >&2; exec sleep 100")
    defer { process.send(.kill) }
    close(inherited)
    // Comes to its end, since nobody has the other end any more.
    #expect(reading.readDataToEndOfFile().isEmpty)
    while try errors.isEmpty { CurrentProcess.pause(microseconds: 1000) }
    #expect(try errors == "err\n")
  }

  @Test("a program that is not there, and a file of errors that is, are errors")
  func failures() throws {
    #expect(throws: SystemError.notFound) {
      try ChildProcess(
        program: home.path("none"), arguments: [], environment: [:], standardError: home.path("err"))
    }
    try home.write("kept".utf8, to: "kept")
    #expect(throws: SystemError.alreadyExists) {
      try ChildProcess(
        program: "/bin/sh", arguments: [], environment: [:], standardError: home.path("kept"))
    }
    #expect(try String(contentsOfFile: home.path("kept"), encoding: .utf8) == "kept")
  }

  @Test("signals do in a process what they usually do, whatever this one ignores or the thread blocks")
  func signals() throws {
    signal(SIGUSR1, SIG_IGN)
    defer { signal(SIGUSR1, SIG_DFL) }
    let ending = Lock<ChildProcess.Ending?>(nil)
    let path = home.path("err")
    // A thread of this kind blocks all signals.
    let isRun = SystemThread.run(stackSize: 1 << 20) {
      let process = try? ChildProcess(
        program: "/bin/sh", arguments: ["-c", "kill -USR1 $$; exit 3"], environment: [:], standardError: path)
      ending.withLock { [result = process?.awaitEnding()] in $0 = result }
    }
    #expect(isRun)
    #expect(ending.withLock { $0 } == .signal(Signal(number: SIGUSR1)))
  }

  @Test("a process that has ended is reaped, though nobody asks for its ending or holds its object")
  func reaping() async throws {
    let identifiers = try ["first", "second"].map { name in
      try ChildProcess(
        program: "/bin/sh", arguments: ["-c", "exit 0"], environment: [:], standardError: home.path(name)
      ).identifier
    }
    let deadline = ContinuousClock.now + .seconds(300)
    for identifier in identifiers {
      // The number of a zombie is still that of a process. That it was reaped is told to nobody.
      while kill(identifier, 0) == 0 {
        try #require(ContinuousClock.now < deadline)
        try await Task.sleep(for: .milliseconds(1))
      }
      #expect(errno == ESRCH)
    }
  }
}
