/// What one process of a driver replied, and how it ended.
struct Conversation {
  enum End {
    case normal
    case aborted
    case late
    case broken
    /// Another process, which a step started, failed; the last outcome says how.
    case otherFailed

    /// The outcome of a question that ends so.
    var outcome: JSON {
      switch self {
      case .normal, .otherFailed: .done
      case .aborted: .aborts
      case .late: .hangs
      case .broken: .broken
      }
    }
  }

  var outcomes: [JSON] = []
  var end = End.normal

  /// The outcome that stands for the whole, unless all was well.
  var failure: JSON? {
    end == .normal || end == .otherFailed
      ? outcomes.last.flatMap { $0.endsTheSetup || end == .otherFailed ? $0 : nil } : end.outcome
  }
}

/// The outcome of the steps that one process performs.
struct ProcessRun {
  enum Result {
    case outcome(JSON)
    /// The process ended at a step that is tried: the other steps of the setup are to be repeated.
    case repeated([JSON])
  }

  let result: Result

  /// - Parameter callIndex: The index of the call among the steps; their number where there is no call.
  init(steps: [JSON], callIndex: Int, converse: ([JSON]) throws -> Conversation) throws {
    let conversation = try converse(steps)
    let outcomes = conversation.outcomes
    switch conversation.end {
    case .late, .broken: result = .outcome(conversation.end.outcome)
    case .otherFailed: result = .outcome(outcomes.last ?? .aborts)
    case .normal, .aborted:
      if outcomes.count <= callIndex, let last = outcomes.last, last.endsTheSetup {
        result = .outcome(last.asSetupOutcome)
      } else if outcomes.count == steps.count {
        let last = callIndex < outcomes.count ? outcomes[callIndex] : .done
        result = .outcome(conversation.end == .normal ? last : .abortsAtExit)
      } else {
        result = try ProcessRun.end(at: outcomes.count, of: steps, callIndex: callIndex)
      }
    }
  }

  /// The result where a step ended the process.
  private static func end(at index: Int, of steps: [JSON], callIndex: Int) throws -> Result {
    let isTried = try Step(steps[index]).name == "try"
    if index == callIndex { return .outcome(isTried ? .done : .aborts) }
    guard isTried else { return .outcome(.setupAborts(steps[index])) }
    var rest = Array(steps[..<callIndex])
    rest.remove(at: index)
    return .repeated(rest)
  }
}
