import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The tool's verbs while another process has the lock, or something else lies where that should be.
struct WaitingTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    for domain in ["A", "B", "C"] { try home.write("{ k = 1; }", to: "\(domain).plist") }
  }

  /// Commands that access the database, what they read from standard input, and whether they need the lock.
  private static let verbs: [(arguments: [String], input: String, isWriting: Bool)] = [
    (["write", "A", "k", "2"], "", true),
    (["write"], "A k 2\nB k 2\nC k 2\n", true),
    (["-g", "write", "k", "2"], "", true),
    (["delete", "A", "k"], "", true),
    (["delete", "A"], "", true),
    (["delete"], "A k\nB k\nC k\n", true),
    (["read"], "", false),
    (["read", "A"], "", false),
    (["read", "A", "k"], "", false),
    (["readkey", "k"], "", false),
    (["domains"], "", false),
    (["find", "k"], "", false),
    (["write", "A", ".l[+]", "x"], "", true),
    (["rename", "A", "k", "l"], "", true),
    (["delete-all", "A"], "", true),
    (["read-type", "A", "k"], "", false),
    (["diff", "A", "B"], "", false),
    (["explain", "A", "k"], "", false),
    (["paths"], "", false),
    (["write", "-n", "A", "k", "2"], "", false),
  ]

  /// A verb that was run.
  private struct Run {
    let arguments: [String]
    let outcome: ToolHome.Outcome
    /// When it tried to take the lock.
    let attempts: [MonotonicTime]

    var isWriting: Bool { WaitingTests.verbs.contains { $0.arguments == arguments && $0.isWriting } }

    /// How many domains it changes.
    var domainCount: Int { arguments.count == 1 ? 3 : 1 }
  }

  /// Runs all verbs at the same time, each on a thread of its own.
  private func runAll() async -> [Run] {
    await withTaskGroup(of: Run.self) { group in
      let environment = ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path]
      let lock = "\(home.path)/.lock"
      for verb in WaitingTests.verbs {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              let attempts = Lock([MonotonicTime]())
              let fileSystem = FaultyFileSystem { operation in
                if operation.name == "open locking", operation.path == lock {
                  attempts.withLock { $0.append(.now) }
                }
                return nil
              }
              let outcome = ToolHome.run(
                verb.arguments, input: Array(verb.input.utf8), environment: environment,
                on: fileSystem)
              continuation.resume(
                returning: Run(
                  arguments: verb.arguments, outcome: outcome, attempts: attempts.withLock { $0 }))
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test(
    "no verb tries longer than two seconds to take the lock, and those that read do not try at all",
    .timeLimit(.minutes(30)))
  func stoppedHolder() async throws {
    #expect(home.run("write", "A", "k", "1").code == .done)
    let lock = open("\(home.path)/.lock", O_RDWR | O_CLOEXEC)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX) == 0)
    // Where the machine stands still between two domains for as long as a verb waits, the verb waits once more.
    var waitingAgain: [[String]] = []
    var tries = 0
    repeat {
      waitingAgain = []
      tries += 1
      for run in await runAll() {
        #expect(run.outcome.code == (run.isWriting ? .refused : .done), "\(run)")
        #expect(run.outcome.errors.contains("has held the lock for two seconds") == run.isWriting, "\(run)")
        #expect(run.attempts.isEmpty != run.isWriting, "\(run.arguments)")
        guard let first = run.attempts.first else { continue }
        // However late a busy machine wakes a thread, its next attempt is the last one, and each further domain has
        // one.
        let late = run.attempts.filter { $0 > first + UserDatabase.patience }
        if late.count > run.domainCount { waitingAgain.append(run.arguments) }
      }
    } while !waitingAgain.isEmpty && tries < 10
    #expect(waitingAgain == [])
    for domain in ["A", "B", "C"] { #expect(try home.text(of: "\(domain).plist").contains("k = 1;")) }
  }

  @Test(
    "a verb that changes many domains waits for a stopped process once",
    .timeLimit(.minutes(30)), arguments: [["apply", "state"], ["restore", "s"], ["undo"]])
  func manyDomains(arguments: [String]) async throws {
    let domains = (0..<8).map { "D\($0)" }
    #expect(home.run("write", input: domains.map { "\($0) k 1\n" }.joined()).code == .done)
    #expect(home.run("snapshot", "s").code == .done)
    #expect(home.run("write", input: domains.map { "\($0) k 2\n" }.joined()).code == .done)
    let state = home.root.appendingPathComponent("state").path
    try "{ Set = { \(domains.map { "\($0) = { k = 3; }; " }.joined()) }; }"
      .write(toFile: state, atomically: false, encoding: .utf8)
    let lock = open("\(home.path)/.lock", O_RDWR | O_CLOEXEC)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX) == 0)
    try expectOneWait(
      of: arguments.map { $0 == "state" ? state : $0 }, for: domains.count,
      saying: "has held the lock for two seconds"
    ) { [path = home.path] in $0.name == "open locking" && $0.path == "\(path)/.lock" }
  }

  // Each domain waited for up to two seconds.
  @Test("a verb about many domains waits two seconds for a process that takes the lock again and again")
  func pulses() throws {
    let path = "\(home.path)/.lock"
    #expect(home.run("write", "A", "k", "1").code == .done)
    let lock = open(path, O_RDWR | O_CLOEXEC)
    defer { close(lock) }
    /// Since when the lock is held; nil if the next one who asks finds it held.
    let start = Lock<MonotonicTime?>(nil)
    let releaseCount = Lock(0)
    let fileSystem = FaultyFileSystem { operation in
      guard operation.name == "open locking", operation.path == path else { return nil }
      start.withLock { present in
        guard let since = present else {
          if flock(lock, LOCK_EX | LOCK_NB) == 0 { present = .now }
          return
        }
        guard .now >= since + 0.9 else { return }
        flock(lock, LOCK_UN)
        present = nil
        releaseCount.withLock { $0 += 1 }
      }
      return nil
    }
    let lines = (0..<16).map { "D\($0) k 1\n" }.joined()
    let outcome = home.run(["write"], input: Array(lines.utf8), on: fileSystem)
    #expect(outcome.code == .refused, "\(outcome)")
    #expect(outcome.errors.contains("has held the lock for two seconds"), "\(outcome)")
    // Two, and more only where the machine stands still for as long as the verb waits.
    #expect((1..<8).contains(releaseCount.withLock { $0 }))
  }

  @Test(
    "an export of many domains waits once for whoever has locked the directory, or reads from no pipe in it",
    .timeLimit(.minutes(30)), arguments: [false, true])
  func export(arePipes: Bool) throws {
    let target = home.root.appendingPathComponent("Export").path
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
    let lock = open("\(target)/.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(lock) }
    if arePipes {
      for domain in ["A", "B", "C"] { try #require(mkfifo("\(target)/\(domain).plist", 0o600) == 0) }
    } else {
      try #require(flock(lock, LOCK_EX) == 0)
    }
    try expectOneWait(
      of: ["export", "-replace", "-into", target], for: 3, as: arePipes ? .inputOutput : .refused,
      saying: arePipes ? "is a pipe from which no process reads" : "has held the lock for two seconds"
    ) {
      arePipes ? $0.name == "open writingThrough" : $0.name == "open locking" && $0.path == "\(target)/.lock"
    }
  }

  /// Runs a verb about many domains whose attempts, which an operation tells of, are all in vain, and expects that only
  /// the first domain waits.
  private func expectOneWait(
    of arguments: [String], for domainCount: Int, as code: ExitCode = .refused, saying reason: String,
    isAttempt: @escaping @Sendable (FaultyFileSystem.Operation) -> Bool
  ) throws {
    let attempts = Lock([MonotonicTime]())
    let fileSystem = FaultyFileSystem { operation in
      if isAttempt(operation) { attempts.withLock { $0.append(.now) } }
      return nil
    }
    var lateCounts: [Int] = []
    // The first domain's last attempt, and one of each other domain. Where the machine stands still between two
    // domains for as long as a verb waits, the verb waits once more.
    func waitsOnce() -> Bool { lateCounts.last.map { $0 <= domainCount + 3 } ?? false }
    while lateCounts.count < 10, !waitsOnce() {
      attempts.withLock { $0 = [] }
      let outcome = home.run(arguments, on: fileSystem)
      #expect(outcome.code == code, "\(outcome)")
      #expect(outcome.errors.components(separatedBy: reason).count > domainCount, "\(outcome)")
      let all = attempts.withLock { $0 }
      let first = try #require(all.first)
      lateCounts.append(all.count { $0 > first + UserDatabase.patience })
    }
    #expect(waitsOnce(), "\(lateCounts)")
  }

  @Test("no verb waits for a pipe in the place of the lock, or of a domain's file", .timeLimit(.minutes(30)))
  func pipes() async throws {
    for name in [".lock", "P.plist", "Q"] { try #require(mkfifo("\(home.path)/\(name)", 0o600) == 0) }
    for run in await runAll() {
      #expect(run.outcome.code == (run.isWriting ? .inputOutput : .done), "\(run)")
      #expect(run.attempts.count <= (run.isWriting ? run.domainCount : 0), "\(run.arguments)")
    }
    for (arguments, reason) in [
      (["read", "P"], "/P.plist: is a pipe where the domain's file should be"),
      (["delete", "P"], "/.lock: is no regular file, as the lock must be"),
      (["write", "P", "k", "v"], "/.lock: is no regular file, as the lock must be"),
    ] {
      let outcome = home.run(arguments)
      #expect(outcome.code == .inputOutput && outcome.errors.contains(reason))
    }
  }
}
