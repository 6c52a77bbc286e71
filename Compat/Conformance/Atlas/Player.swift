import DefaultsDatabase
import Foundation

/// Asks drivers questions, several at a time, and gives the answers in the order of the questions.
struct Player {
  /// The number of questions that are performed at the same time.
  let width: Int

  /// The number of failures in a row after which a driver is not asked any more.
  private static let patience = 3

  /// Asks each driver each of the questions that it takes.
  func play(_ questions: [Question], _ drivers: [Driver]) -> [Answer] {
    var jobs: [Job] = []
    for driver in drivers {
      let taken = questions.filter { driver.takes($0) }
      let cutoff = Cutoff()
      for (index, question) in taken.filter({ !$0.isText }).enumerated() {
        jobs.append(.behaviour(question, driver, index, cutoff))
      }
      let texts = taken.filter(\.isText)
      if !texts.isEmpty { jobs.append(.texts(texts, driver)) }
    }
    let answers = Lock<[Int: [Answer]]>([:])
    let progress = Progress(total: jobs.count)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = width
    for (index, job) in jobs.enumerated() {
      queue.addOperation {
        let result = job.perform()
        answers.withLock { $0[index] = result }
        progress.step()
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    progress.end()
    return zip(jobs, answers.withLock { answers in jobs.indices.map { answers[$0] ?? [] } })
      .flatMap { job, answers in job.finally(answers) }
  }

  private enum Job {
    case behaviour(Question, Driver, Int, Cutoff)
    /// All texts, which one process parses, unless it ends.
    case texts([Question], Driver)

    func perform() -> [Answer] {
      switch self {
      case .behaviour(let question, let driver, let index, let cutoff):
        if cutoff.isBehind(index) { return [Answer(question, driver, outcome: .notRun)] }
        let answer = Answer(performing: question, driver)
        if driver.builtIn == nil { cutoff.note(answer.verdict, index) }
        return [answer]
      case .texts(let questions, let driver): return Player.parse(questions, driver)
      }
    }

    /// The answers, without those that came before the driver was given up, but belong behind that.
    func finally(_ answers: [Answer]) -> [Answer] {
      guard case .behaviour(let question, let driver, let index, let cutoff) = self, cutoff.isBehind(index)
      else {
        return answers
      }
      return [Answer(question, driver, outcome: .notRun)]
    }
  }

  /// The place in the order of the questions behind which a driver is not asked: it does not depend on the
  /// order in which the answers come.
  private final class Cutoff: Sendable {
    private struct State {
      var hopeless: [Int: Bool] = [:]
      var known = 0
      var inARow = 0
      var last: Int?
    }
    private let state = Lock(State())

    func isBehind(_ index: Int) -> Bool {
      state.withLock { $0.last.map { index > $0 } ?? false }
    }

    func note(_ verdict: Answer.Verdict, _ index: Int) {
      state.withLock { state in
        state.hopeless[index] = [.hangs, .broken].contains(verdict)
        while state.last == nil, let isHopeless = state.hopeless.removeValue(forKey: state.known) {
          state.inARow = isHopeless ? state.inARow + 1 : 0
          if state.inARow == Player.patience { state.last = state.known }
          state.known += 1
        }
      }
    }
  }

  // MARK: - Texts

  private static func parse(_ questions: [Question], _ driver: Driver) -> [Answer] {
    let texts = questions.map { question in
      if case .text(let base64) = question.experiment { base64 } else { "" }
    }
    var answers: [Answer] = []
    var failuresInARow = 0
    while answers.count < questions.count, failuresInARow < patience {
      let next = questions[answers.count...]
      do {
        let scene = try Scene(driver, api: "text")
        let outcomes = try scene.parse(texts[answers.count...])
        for (question, outcome) in zip(next, outcomes) {
          let isLast = question.id == next[next.startIndex + outcomes.count - 1].id
          let answer = Answer(
            question, driver, outcome: outcome, complaint: isLast ? scene.complaint : "",
            breach: isLast ? scene.breach : nil)
          let hasFailed = [.aborts, .hangs, .broken].contains(answer.verdict)
          failuresInARow = hasFailed ? failuresInARow + 1 : 0
          answers.append(answer)
        }
        // A process that ends before the first text would be started for ever.
        if outcomes.isEmpty { break }
      } catch {
        answers.append(Answer(next[next.startIndex], driver, outcome: .unsupported("\(error)")))
        failuresInARow += 1
      }
    }
    return answers + questions[answers.count...].map { Answer($0, driver, outcome: .notRun) }
  }
}
