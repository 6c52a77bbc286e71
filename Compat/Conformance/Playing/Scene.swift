import Foundation

/// A temporary directory with a store, a home and a program named Probe, in which one vector runs.
///
/// Each part runs in a process of its own, so that arguments, environment, exit and crash are real.
final class Scene {
  static let processName = "Probe"

  private let folder: URL
  private let program: URL
  private let home: URL
  private let store: StoreFolder
  private let implementation: Implementation
  private let api: String
  private var arguments: [String] = []
  private var environment: [String: String]
  /// What the processes wrote to standard error.
  private(set) var complaint = ""

  init(_ implementation: Implementation, api: String) throws {
    (self.implementation, self.api) = (implementation, api)
    let manager = FileManager.default
    folder = manager.temporaryDirectory.appendingPathComponent("conformance-\(UUID().uuidString)")
    home = folder.appendingPathComponent("home")
    store = StoreFolder(url: home.appendingPathComponent("Defaults"))
    program = folder.appendingPathComponent(Scene.processName)
    try manager.createDirectory(at: store.url, withIntermediateDirectories: true)
    try Scene.makeProgram(program, of: try Scene.runner(), for: implementation)
    environment = [
      "HOME": home.path, "OPENSTEP_DEFAULTS_DIR": store.url.path,
      // The directory of Foundation's files on Linux; no other code uses the variable.
      "XDG_CONFIG_HOME": store.url.path,
      // Printing a stack trace takes longer than everything else; the message is printed without it.
      "SWIFT_BACKTRACE": "enable=no",
    ]
    for name in ["PATH", "LD_LIBRARY_PATH"] {
      environment[name] = ProcessInfo.processInfo.environment[name]
    }
  }

  deinit {
    // A directory that cannot be removed is temporary anyway; no result depends on it.
    try? FileManager.default.removeItem(at: folder)
  }

  /// Makes a program that runs under the name of the scene's process.
  private static func makeProgram(
    _ program: URL, of runner: URL, for implementation: Implementation
  ) throws {
    guard implementation == .foundation else {
      return try FileManager.default.createSymbolicLink(at: program, withDestinationURL: runner)
    }
    // Not a symbolic link: Foundation would follow it and name the domain after the real file.
    do {
      try FileManager.default.linkItem(at: runner, to: program)
    } catch {
      // The runner may be on another file system.
      try FileManager.default.copyItem(at: runner, to: program)
    }
  }

  private static func runner() throws -> URL {
    guard let url = Bundle.main.executableURL else { throw NotSupported(what: "a runner without a file") }
    return url.resolvingSymlinksInPath()
  }

  /// Performs the setup and then the call, if there is one, and gives the call's outcome.
  ///
  /// If the setup ends early, it gives the outcome of the step at which the setup ended.
  func play(setup: [JSON], call: JSON?) throws -> JSON {
    var steps: [JSON] = []
    for json in setup {
      let step = try Step(json)
      switch step.name {
      case "args": arguments = try step.arguments.indices.map { try step.text($0) }
      case "env": environment[try step.text(0)] = inHome(try step.text(1))
      case "file": try store.write(try step.text(1), domain: try step.text(0))
      case "chmod": try store.setMode(try step.text(1), domain: try step.text(0))
      case "reopen":
        let outcome = try runProcess(setup: steps, call: nil)
        guard outcome.tagged?.tag == "ok" else { return outcome }
        steps = []
      default: steps.append(json)
      }
    }
    return try runProcess(setup: steps, call: call)
  }

  /// The value of a variable, with the home directory in place of `~/` at the start, as in a shell.
  private func inHome(_ value: String) -> String {
    value.hasPrefix("~/") ? home.path + value.dropFirst() : value
  }

  /// The home directory with the store, as it is now and as it was when the latest process started.
  func contents() -> (now: [String: Data], before: [String: Data]) {
    (StoreFolder(url: home).contents(), StoreFolder(url: homeBefore).contents())
  }

  private var homeBefore: URL { folder.appendingPathComponent("home-before") }

  private func runProcess(setup: [JSON], call: JSON?) throws -> JSON {
    let manager = FileManager.default
    if manager.fileExists(atPath: homeBefore.path) { try manager.removeItem(at: homeBefore) }
    try manager.copyItem(at: home, to: homeBefore)

    let steps = setup + (call.map { [$0] } ?? [])
    let process = try ProbeProcess(
      program: program, arguments: arguments, environment: environment,
      job: Job(implementation: implementation, api: api, store: store, steps: steps),
      timeLimit: implementation.timeLimit)
    complaint += process.complaint
    let outcomes = process.outcomes
    if process.end == .timedOut { return .hangs }
    if outcomes.count <= setup.count, let last = outcomes.last, last.endsTheSetup {
      return last.asSetupOutcome
    }
    if outcomes.count == steps.count {
      if process.end != .normal { return .abortsAtExit }
      return call == nil ? .done : outcomes[setup.count]
    }

    let fatal = steps[outcomes.count]
    let isTried = try Step(fatal).name == "try"
    if outcomes.count == setup.count { return isTried ? .done : .aborts }
    guard isTried else { return .setupAborts(fatal) }
    // A refusal ended the process, but the vector continues: all steps but the refused one are repeated from
    // the same initial store, because a refused step has changed nothing.
    try manager.removeItem(at: home)
    try manager.copyItem(at: homeBefore, to: home)
    var rest = setup
    rest.remove(at: outcomes.count)
    return try runProcess(setup: rest, call: call)
  }
}
