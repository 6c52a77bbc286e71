import Foundation

/// Performs the steps of a job inside a process named Probe, and answers each with a line of JSON.
final class Performer {
  private let job: Job
  private var subject: any BehaviourSubject
  private var counter: NotificationCounter?

  /// Performs the job that a file describes.
  static func run(file: String) throws {
    let performer = try Performer(job: try Job(file: URL(fileURLWithPath: file)))
    for step in performer.job.steps {
      let outcome = performer.outcome(of: step)
      // Written immediately and unbuffered: the next step may end the process.
      try FileHandle.standardOutput.write(contentsOf: Data((outcome.description + "\n").utf8))
      if outcome.endsTheSetup { return }
    }
  }

  private init(job: Job) throws {
    self.job = job
    subject = try Performer.makeSubject(job.api, job.implementation)
  }

  private static func makeSubject(
    _ api: String, _ implementation: Implementation
  ) throws -> any BehaviourSubject {
    guard let type = implementation.subject(for: api) else { throw NotSupported(what: "the API “\(api)”") }
    return type.init()
  }

  private func outcome(of json: JSON) -> JSON {
    do {
      return try perform(try Step(json))
    } catch let error as NotSupported {
      return .notSupported(error.what)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return .raises
    }
  }

  private func perform(_ step: Step) throws -> JSON {
    if let answer = try answer(step) { return answer }
    switch step.name {
    case "use":
      guard try subject.use(try step.text(0)) else { return .noObject }
      counter?.setReceiver(subject.receiver)
    case "as":
      subject = try Performer.makeSubject(try step.text(0), job.implementation)
      counter?.setReceiver(subject.receiver)
    case "try": return try attempt(try step.step(0))
    case "observe":
      if counter == nil { counter = NotificationCounter(receiver: subject.receiver) }
      counter?.startAtZero()
    case "sleep": Performer.sleep(seconds: try step.number(0))
    case "otherProcess": return try runOtherProcess(try step.elements(0))
    case "writeFile": try job.store.write(try step.text(1), domain: try step.text(0))
    case let name where Performer.knownToClasses.contains(name): return try subject.perform(step)
    default: throw NotSupported(what: "the step “\(step.name)”")
    }
    return .done
  }

  /// Answers questions that do not involve the class.
  private func answer(_ step: Step) throws -> JSON? {
    switch step.name {
    case "notifications": .count(counter?.changes ?? 0)
    case "oldNotifications": .count(counter?.oldNames ?? 0)
    case "lastNotification": counter?.last ?? .null
    case "fileExists": .truth(try job.store.exists(domain: try step.text(0)))
    case "fileMode": try job.store.mode(domain: try step.text(0)).map { .string($0) } ?? .null
    case "fileText": try job.store.text(domain: try step.text(0)).map { .string($0) } ?? .null
    case "kept": .truth(job.store.keeps(try step.text(0)))
    default: nil
    }
  }

  /// The steps for which a class may lack a method.
  private static let knownToClasses: Set<String> = [
    "set", "setBool", "setInteger", "setFloat", "setDouble", "setURL", "setFileURL", "remove", "register",
    "setVolatile", "removeVolatile", "setPersistent", "removePersistent", "setSearchList", "addSuite",
    "removeSuite", "sync", "reset", "observeKey",
    "object", "string", "array", "stringArray", "dictionary", "data", "bool", "integer", "float", "double",
    "url", "cast", "searchList", "representation", "representationKeys", "persistentDomain", "volatileDomain",
    "volatileKey", "persistentDomainNames", "volatileDomainNames", "isForced", "keyChanges",
  ]

  /// Performs a step and continues if it is refused.
  private func attempt(_ step: Step) throws -> JSON {
    do {
      return try perform(step).tagged?.tag == "absent" ? .absent : .done
    } catch let error as NotSupported {
      throw error
    } catch {
      return .done
    }
  }

  /// Waits while the run loop runs, even if the loop has no sources.
  private static func sleep(seconds: Double) {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end {
      let pause = min(end, Date(timeIntervalSinceNow: 0.05))
      if !RunLoop.current.run(mode: .default, before: pause) { Thread.sleep(until: pause) }
    }
  }

  private func runOtherProcess(_ steps: [JSON]) throws -> JSON {
    let environment = ProcessInfo.processInfo.environment
    let program = URL(fileURLWithPath: environment[Job.variable] ?? "").deletingLastPathComponent()
      .appendingPathComponent(Scene.processName)
    let other = try ProbeProcess(
      program: program, arguments: [], environment: environment,
      job: Job(implementation: job.implementation, api: job.api, store: job.store, steps: steps),
      timeLimit: job.implementation.timeLimit * 0.8)
    if other.end == .normal, other.outcomes.last?.endsTheSetup != true { return .done }
    FileHandle.standardError.write(Data(other.complaint.utf8))
    let last = other.outcomes.last.map(\.description) ?? "nothing"
    throw NotSupported(what: "otherProcess that ends so: \(other.end), its last outcome \(last)")
  }
}
