import Foundation
import OpenStepPropertyList

/// This program as a driver of one of its classes: it performs the steps and parses the texts that it is sent.
final class Performer {
  private let implementation: Implementation
  private var subject: (any BehaviourSubject)?
  private var counter: NotificationCounter?

  /// Answers messages until the last one.
  static func run(_ name: String) throws {
    guard let implementation = Implementation(rawValue: name) else {
      throw NotSupported(what: "the class “\(name)”")
    }
    let performer = Performer(implementation)
    while let line = readLine() {
      guard let reply = try performer.reply(to: try JSONReader.value(of: line.utf8)) else { return }
      // Written immediately and unbuffered: the next step may end the process.
      try FileHandle.standardOutput.write(contentsOf: Data((reply.description + "\n").utf8))
    }
  }

  private init(_ implementation: Implementation) {
    self.implementation = implementation
  }

  /// The reply to a message; nil to the last one.
  private func reply(to message: JSON) throws -> JSON? {
    let outcome: JSON
    switch message["do"]?.text {
    case "hello":
      let api = message["api"]?.text ?? ""
      if api != "text" { subject = try makeSubject(api) }
      return .object(["protocol": .number(1), "name": .string(implementation.name)])
    case "step": outcome = self.outcome(of: message["step"] ?? .null)
    case "parse": outcome = TextNotation.outcome(of: message["base64"]?.text ?? "", implementation)
    default: return nil
    }
    return .object(["n": message["n"] ?? .null, "outcome": outcome])
  }

  private func makeSubject(_ api: String) throws -> any BehaviourSubject {
    guard let type = implementation.subject(for: api) else { throw NotSupported(what: "the API “\(api)”") }
    return type.init()
  }

  private func outcome(of json: JSON) -> JSON {
    do {
      return try perform(try Step(json))
    } catch let error as NotSupported {
      return .unsupported(error.what)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return .raises
    }
  }

  private func perform(_ step: Step) throws -> JSON {
    guard let subject else { throw NotSupported(what: "a step before hello") }
    switch step.name {
    case "notifications": return .count(counter?.changes ?? 0)
    case "oldNotifications": return .count(counter?.oldNames ?? 0)
    case "lastNotification": return counter?.last ?? .null
    case "use":
      guard try subject.use(try step.text(0)) else { return .noObject }
      counter?.setReceiver(subject.receiver)
    case "as":
      let other = try makeSubject(try step.text(0))
      self.subject = other
      counter?.setReceiver(other.receiver)
    case "observe":
      if counter == nil { counter = NotificationCounter(receiver: subject.receiver) }
      counter?.startAtZero()
    case "sleep": Performer.sleep(seconds: try step.number(0))
    case let name where Performer.knownToClasses.contains(name): return try subject.perform(step)
    default: throw NotSupported(what: "the step “\(step.name)”")
    }
    return .done
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

  /// Waits while the run loop runs, even if the loop has no sources.
  private static func sleep(seconds: Double) {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end {
      let pause = min(end, Date(timeIntervalSinceNow: 0.05))
      if !RunLoop.current.run(mode: .default, before: pause) { Thread.sleep(until: pause) }
    }
  }
}
