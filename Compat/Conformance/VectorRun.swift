import Foundation
import OpenStepPropertyList

/// The result of one vector.
struct VectorRun: Sendable {
  enum Verdict: Sendable {
    case passed
    case failed
    /// The vector uses another class too, which this implementation lacks; it is not counted.
    case leftOut
  }

  let vector: Vector
  let implementation: Implementation
  let outcome: JSON
  let verdict: Verdict
  /// What the processes wrote to standard error.
  let complaint: String

  /// Runs a vector in a scene of its own.
  init(_ vector: Vector, _ implementation: Implementation) {
    (self.vector, self.implementation) = (vector, implementation)
    do {
      for api in vector.apisInvolved where implementation.subject(for: api) == nil {
        guard implementation.isOurs else {
          (outcome, verdict, complaint) = (.null, .leftOut, "")
          return
        }
        throw NotSupported(what: "the API “\(api)”")
      }
      let scene = try Scene(implementation, api: vector.api)
      var outcome = try scene.play(setup: vector.setup, call: vector.call)
      if outcome.matches(expected: vector.expected),
        ["refused", "raises"].contains(vector.expected.tagged?.tag)
      {
        let changed = try VectorRun.filesChangedByRefusal(of: vector, implementation, in: scene)
        if !changed.isEmpty { outcome = .object(["refusedBut": outcome, "stored": .texts(changed)]) }
      }
      self.outcome = outcome
      verdict = outcome.matches(expected: vector.expected) ? .passed : .failed
      complaint = scene.complaint
    } catch let error as NotSupported {
      (outcome, verdict, complaint) = (.notSupported(error.what), .failed, "")
    } catch {
      (outcome, verdict, complaint) = (.tagged("runnerFailed", .string("\(error)")), .failed, "")
    }
  }

  /// The files that a refused call has changed, although it must change none.
  ///
  /// A refusal may end the process before the setup's changes are saved, so that each file may be in its
  /// initial state or in the state that the setup alone produces.
  private static func filesChangedByRefusal(
    of vector: Vector, _ implementation: Implementation, in scene: Scene
  ) throws -> [String] {
    let setupAlone = try Scene(implementation, api: vector.api)
    _ = try setupAlone.play(setup: vector.setup, call: nil)
    let wanted = setupAlone.contents().now
    let (now, before) = scene.contents()
    // A hidden file that is no domain's is ignored: a lock may name the process that held it.
    return Set(now.keys).union(before.keys)
      .filter { !$0.contains("/.") || $0.hasSuffix(".plist") }
      .filter { now[$0] != wanted[$0] && now[$0] != before[$0] }.sorted()
  }
}

extension VectorRun: CustomStringConvertible {
  /// The vector, the expected and the actual outcome, on several lines.
  var description: String {
    var lines = [
      implementation.isOurs ? vector.id : "\(vector.id) (\(implementation))",
      "  setup    \(JSON.array(vector.setup))", "  call     \(vector.call)",
      "  expected \(vector.expected)", "  got      \(outcome)",
    ]
    // The message of a process that stopped; the stack trace behind it has no useful information.
    let message = complaint.split(separator: "\n").prefix { !$0.hasPrefix("Current stack trace") }
    lines += message.map { "  stderr   \($0)" }
    return lines.joined(separator: "\n")
  }
}
