import Foundation
import OpenStepPropertyList

/// What a driver did with one question.
struct Answer: Sendable {
  enum Verdict: String, CaseIterable, Sendable {
    case agrees, differs, absent, unsupported, aborts, hangs, broken, notRun
  }

  let question: Question
  let driver: Driver
  let outcome: JSON
  let verdict: Verdict
  /// What the processes wrote to standard error.
  let complaint: String
  /// The first message that broke the protocol.
  let breach: String?

  init(_ question: Question, _ driver: Driver, outcome: JSON, complaint: String = "", breach: String? = nil) {
    (self.question, self.driver, self.outcome) = (question, driver, outcome)
    (self.complaint, self.breach) = (complaint, breach)
    verdict = Verdict(on: outcome, of: question)
  }

}

extension Answer.Verdict {
  /// The verdict on the outcome of a question.
  init(on outcome: JSON, of question: Question) {
    let agrees =
      question.isText
      ? outcome.matchesText(expected: question.expected) : outcome.matches(expected: question.expected)
    self =
      switch outcome.tagged?.tag {
      case _ where agrees: .agrees
      case "absent": .absent
      case "unsupported": .unsupported
      case "aborts", "abortsAtExit", "setupAborts": .aborts
      case "hangs": .hangs
      case "broken": .broken
      case "notRun": .notRun
      default: .differs
      }
  }
}

// MARK: - Behaviour

extension Answer {
  /// Performs a question about behaviour in a scene of its own.
  init(performing question: Question, _ driver: Driver) {
    guard case .behaviour(let api, let setup, let call) = question.experiment else {
      self.init(question, driver, outcome: .notRun)
      return
    }
    do {
      let scene = try Scene(driver, api: api)
      var outcome = try scene.play(setup: setup, call: call)
      if outcome.matches(expected: question.expected),
        ["refused", "raises"].contains(question.expected.tagged?.tag)
      {
        let changed = try Answer.filesChangedByRefusal(api, setup, driver, in: scene)
        if !changed.isEmpty { outcome = .object(["refusedBut": outcome, "stored": .texts(changed)]) }
      }
      self.init(question, driver, outcome: outcome, complaint: scene.complaint, breach: scene.breach)
    } catch let error as NotSupported {
      self.init(question, driver, outcome: .unsupported(error.what))
    } catch {
      self.init(question, driver, outcome: .tagged("runnerFailed", .string("\(error)")))
    }
  }

  /// The files that a refused call has changed, although it must change none.
  ///
  /// A refusal may end the process before the setup's changes are saved, so that each file may be in its
  /// initial state or in the state that the setup alone produces.
  private static func filesChangedByRefusal(
    _ api: String, _ setup: [JSON], _ driver: Driver, in scene: Scene
  ) throws -> [String] {
    let setupAlone = try Scene(driver, api: api)
    _ = try setupAlone.play(setup: setup, call: nil)
    let wanted = setupAlone.contents().now
    let (now, before) = scene.contents()
    // A hidden file that is no domain's is ignored: a lock may name the process that held it.
    return Set(now.keys).union(before.keys)
      .filter { !$0.contains("/.") || $0.hasSuffix(".plist") }
      .filter { now[$0] != wanted[$0] && now[$0] != before[$0] }.sorted()
  }
}

extension Answer: CustomStringConvertible {
  /// The question, the expected and the actual outcome, on several lines.
  var description: String {
    var lines = [driver.definesExpectations ? question.id : "\(question.id) (\(driver.id))"]
    if !question.title.isEmpty { lines.append("  title    \(question.title)") }
    switch question.experiment {
    case .behaviour(_, let setup, let call):
      lines += ["  setup    \(JSON.array(setup))", "  call     \(call)"]
    case .text(let base64): lines.append("  text     \(Answer.shortened(base64)) (Base64)")
    }
    lines.append("  expected \(Answer.shortened(question.expected.description))")
    lines.append("  got      \(Answer.shortened(outcome.description))")
    // The message of a process that stopped; the stack trace behind it has no useful information.
    let message = complaint.split(separator: "\n").prefix { !$0.hasPrefix("Current stack trace") }
    lines += message.prefix(20).map { "  stderr   \($0)" }
    return lines.joined(separator: "\n")
  }

  private static func shortened(_ text: String) -> String {
    text.utf8.count <= 2000 ? text : "\(text.prefix(1000))… (\(text.utf8.count) bytes)"
  }
}
