import DefaultsDatabase
import Foundation
import OpenStepPropertyList

/// A temporary directory with a store, a home and a program named Probe, in which one question is performed.
///
/// Each part runs in a process of its own, so that arguments, environment, exit and crash are real.
final class Scene {
  static let processName = "Probe"

  private let folder: URL
  private let program: URL
  private let home: URL
  private let store: StoreFolder
  private let driver: Driver
  private let api: String
  private var arguments: [String] = []
  private var environment: [String: String] = [:]
  /// What the processes wrote to standard error.
  private(set) var complaint = ""
  /// The first message that broke the protocol.
  private(set) var breach: String?
  /// What the driver said of itself.
  private(set) var version = ""

  init(_ driver: Driver, api: String) throws {
    (self.driver, self.api) = (driver, api)
    let manager = FileManager.default
    folder = manager.temporaryDirectory.appendingPathComponent("conformance-\(UUID().uuidString)")
    home = folder.appendingPathComponent("home")
    program = folder.appendingPathComponent(Scene.processName)
    let places = ["scene": folder.path, "home": home.path]
    let storePath = Scene.filling(driver.store, places)
    store = StoreFolder(url: URL(fileURLWithPath: storePath), fileName: driver.fileName)
    try manager.createDirectory(at: home, withIntermediateDirectories: true)
    try manager.createDirectory(at: store.url, withIntermediateDirectories: true)
    for (name, text) in driver.files {
      let filled = Scene.filling(text, places.merging(["store": storePath]) { $1 })
      try Data(filled.utf8).write(to: folder.appendingPathComponent(name))
    }
    try makeProgram()

    environment = ["HOME": home.path, "ATLAS": "1"]
    for name in ["PATH", "LD_LIBRARY_PATH"] {
      environment[name] = ProcessInfo.processInfo.environment[name]
    }
    for (name, value) in driver.environment {
      environment[name] = Scene.filling(value, places.merging(["store": storePath]) { $1 })
    }
  }

  deinit {
    // A directory that cannot be removed is temporary anyway; no result depends on it.
    try? FileManager.default.removeItem(at: folder)
  }

  private static func filling(_ text: String, _ places: [String: String]) -> String {
    places.reduce(text) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
  }

  /// Makes a program that runs under the name of the scene's process.
  private func makeProgram() throws {
    let manager = FileManager.default
    let original = URL(fileURLWithPath: driver.program)
    guard driver.isCopied else {
      return try manager.createSymbolicLink(at: program, withDestinationURL: original)
    }
    do {
      try manager.linkItem(at: original, to: program)
    } catch {
      // Not every file system has links. No process is started meanwhile: it would inherit the descriptor of the copy,
      // and a file that is open for writing cannot be executed.
      try Spawning.turn.withLock { _ in try manager.copyItem(at: original, to: program) }
    }
  }

  // MARK: - Behaviour

  /// Performs the setup and then the call, if there is one, and gives the call's outcome.
  ///
  /// If the setup ends early, it gives the outcome of the step at which the setup ended.
  ///
  /// The scene's folder, whose name is another one each time, is `{scene}` in an outcome.
  func play(setup: [JSON], call: JSON?) throws -> JSON {
    try perform(setup: setup, call: call).replacing(folder.path, with: "{scene}")
  }

  private func perform(setup: [JSON], call: JSON?) throws -> JSON {
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
    try StoreFolder(url: home).copy(to: homeBefore)

    let run = try ProcessRun(steps: setup + (call.map { [$0] } ?? []), callIndex: setup.count) { steps in
      try self.converse(arguments: self.arguments, steps: steps)
    }
    switch run.result {
    case .outcome(let outcome): return outcome
    case .repeated(let rest):
      // A refusal ended the process, but the question continues: all steps but the refused one are repeated
      // from the same initial store, because a refused step has changed nothing.
      try manager.removeItem(at: home)
      try StoreFolder(url: homeBefore).copy(to: home)
      return try runProcess(setup: rest, call: call)
    }
  }

  /// Starts a process, has it perform steps, and ends it.
  private func converse(arguments: [String], steps: [JSON]) throws -> Conversation {
    var conversation = Conversation()
    let session: Session
    let process = try startProcess(arguments)
    defer { complaint += process.complaint }
    do {
      session = try Session(process, driver, api: api, store: store.url.path)
      version = session.version
      for step in steps {
        let outcome = try perform(try Step(step), step, in: session)
        conversation.outcomes.append(outcome)
        if outcome.endsTheSetup { break }
      }
      conversation.end = try session.end() ? .normal : .aborted
    } catch let failure as DriverProcess.Failure {
      process.kill()
      conversation.end = end(of: failure)
    } catch let other as OtherProcessFailed {
      process.kill()
      conversation.outcomes.append(other.outcome)
      conversation.end = .otherFailed
    }
    return conversation
  }

  private func end(of failure: DriverProcess.Failure) -> Conversation.End {
    switch failure {
    case .ended: return .aborted
    case .late: return .late
    case .broken(let reason):
      breach = breach ?? reason
      return .broken
    }
  }

  private func startProcess(_ arguments: [String]) throws -> DriverProcess {
    try DriverProcess(
      program: program.path, arguments: arguments, environment: environment, folder: folder.path)
  }

  /// Performs a step: those about files and processes here, all else in the driver.
  private func perform(_ step: Step, _ json: JSON, in session: Session) throws -> JSON {
    do {
      switch step.name {
      case "fileExists": return .truth(try store.exists(domain: try step.text(0)))
      case "fileMode": return try store.mode(domain: try step.text(0)).map { .string($0) } ?? .null
      case "fileText": return try store.text(domain: try step.text(0)).map { .string($0) } ?? .null
      case "kept": return .truth(store.keeps(try step.text(0)))
      case "writeFile":
        try store.write(try step.text(1), domain: try step.text(0))
        return .done
      case "otherProcess":
        try runOtherProcess(try step.elements(0))
        return .done
      case "try":
        let outcome = try perform(try step.step(0), step.arguments[0], in: session)
        return ["absent", "unsupported"].contains(outcome.tagged?.tag) ? outcome : .done
      case "sleep": return try session.perform(json, extraSeconds: try step.number(0))
      default: return try session.perform(json)
      }
    } catch let error as NotSupported {
      return .unsupported(error.what)
    }
  }

  /// Why another process, which a step starts, did not do what it should.
  private struct OtherProcessFailed: Error {
    let outcome: JSON
  }

  private func runOtherProcess(_ steps: [JSON]) throws {
    let conversation = try converse(arguments: [], steps: steps)
    if conversation.end == .normal, conversation.outcomes.last?.endsTheSetup != true { return }
    throw OtherProcessFailed(outcome: conversation.failure ?? .aborts)
  }

  // MARK: - Start and texts

  /// Starts the driver and ends it at once; nil if it says what it should.
  func greet() throws -> String? {
    let conversation = try converse(arguments: [], steps: [])
    switch conversation.end {
    case .normal: return nil
    case .aborted, .otherFailed: return "it ends before its reply to hello, or not with status 0 after end"
    case .late: return "it does not answer hello, or does not end, within \(driver.seconds) seconds"
    case .broken: return breach
    }
  }

  /// Has texts parsed by one process, up to the one at which it ends.
  func parse(_ texts: ArraySlice<String>) throws -> [JSON] {
    var outcomes: [JSON] = []
    let process = try startProcess([])
    defer { complaint += process.complaint }
    do {
      let session = try Session(process, driver, api: "text", store: store.url.path)
      for text in texts { outcomes.append(try session.parse(base64: text)) }
      if try !session.end() { outcomes[outcomes.count - 1] = .abortsAtExit }
    } catch let failure as DriverProcess.Failure {
      process.kill()
      let outcome = end(of: failure).outcome
      if outcomes.count < texts.count {
        outcomes.append(outcome)
      } else {
        outcomes[outcomes.count - 1] = outcome
      }
    }
    return outcomes
  }
}
