import Foundation

/// A temporary folder with a store, a home and a program named Probe, in which one vector is played.
///
/// Everything is carried out by processes of their own, so that arguments, environment, exit and
/// crash are real.
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
      // Where Foundation keeps its files on Linux; nothing else looks there.
      "XDG_CONFIG_HOME": store.url.path,
      // A stack trace takes longer than all else; the message comes without it.
      "SWIFT_BACKTRACE": "enable=no",
    ]
    for name in ["PATH", "LD_LIBRARY_PATH"] {
      environment[name] = ProcessInfo.processInfo.environment[name]
    }
  }

  deinit {
    // A folder that cannot be removed lies among the temporary files; no result depends on it.
    try? FileManager.default.removeItem(at: folder)
  }

  /// Makes a program that runs under the name of the scene's process.
  private static func makeProgram(
    _ program: URL, of runner: URL, for implementation: Implementation
  ) throws {
    guard implementation == .foundation else {
      return try FileManager.default.createSymbolicLink(at: program, withDestinationURL: runner)
    }
    // Foundation follows a symbolic link to the real file, and names the domain after that.
    do {
      try FileManager.default.linkItem(at: runner, to: program)
    } catch {
      // The runner may lie on another file system.
      try FileManager.default.copyItem(at: runner, to: program)
    }
  }

  private static func runner() throws -> URL {
    guard let url = Bundle.main.executableURL else { throw NotSupported(what: "a runner without a file") }
    return url.resolvingSymlinksInPath()
  }

  /// Carries out the setup and then the call, if any, and gives the call's outcome.
  ///
  /// A setup that ends early gives the outcome of the step where it did.
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

  /// A variable's value, in which `~/` at the start stands for the home folder, as in a shell.
  private func inHome(_ value: String) -> String {
    value.hasPrefix("~/") ? home.path + value.dropFirst() : value
  }

  /// The home folder, store and all, as it is now and as it was when the latest process started.
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
    // A refusal that ended the process, where the vector goes on: everything is played again from
    // the same store without the step, for a refused step has changed nothing.
    try manager.removeItem(at: home)
    try manager.copyItem(at: homeBefore, to: home)
    var rest = setup
    rest.remove(at: outcomes.count)
    return try runProcess(setup: rest, call: call)
  }
}
