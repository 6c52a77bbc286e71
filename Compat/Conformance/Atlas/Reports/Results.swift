import Foundation
import OpenStepPropertyList

/// The answers of runs as a file: a line for each run and each answer, sorted, in ASCII, so that files can be
/// compared line by line.
struct Results {
  /// The number of containers in each other above which a value is written in the form of deep values.
  private static let deepest = 100

  /// What is known of each run, by its name.
  private(set) var runs: [String: JSON] = [:]
  /// The answers, by question and run.
  private(set) var answers: [String: [String: JSON]] = [:]

  /// The results of a run on a day.
  init(_ given: [Answer], of drivers: [Driver], day: String) {
    var names: [String: String] = [:]
    for driver in drivers {
      let name = Results.name(of: driver)
      names[driver.id] = name
      runs[name] = .object([
        "id": .string(name), "name": .string(driver.name), "version": .string(driver.versionText),
        "language": .string(driver.language), "homepage": .string(driver.homepage),
        "os": .string(Results.system),
        "date": .string(day),
      ])
    }
    for answer in given {
      let run = names[answer.driver.id] ?? answer.driver.id
      answers[answer.question.id, default: [:]][run] = Results.entry(
        answer.verdict, Results.folded(answer.outcome))
    }
  }

  /// Reads a file of results.
  init(path: String) throws {
    let json: JSON
    do {
      json = try JSONReader.value(of: try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch let error as JSONError {
      throw UsageError("\(path): \(error)")
    }
    guard case .number(1)? = json["atlas"], let runs = json["runs"]?.elements,
      case .object(let answers)? = json["answers"]
    else {
      throw UsageError("\(path): these are no results: “atlas” is 1, and there are “runs” and “answers”")
    }
    for run in runs {
      guard let id = run["id"]?.text else { throw UsageError("\(path): a run without an id: \(run)") }
      self.runs[id] = run
    }
    for (id, entries) in answers {
      guard case .object(let entries) = entries else {
        throw UsageError("\(path): \(id.text) has no answers")
      }
      for (run, answer) in entries {
        guard self.runs[run.text] != nil, answer["outcome"] != nil,
          answer["verdict"]?.text.flatMap(Answer.Verdict.init) != nil
        else {
          throw UsageError(
            "\(path): \(id.text): the answer of \(run.text) is damaged, or there is no such run")
        }
        self.answers[id.text, default: [:]][run.text] = answer
      }
    }
  }

  /// The same with the runs of other results that this does not have.
  ///
  /// The verdicts are those of the questions as they are now: an expectation may have changed since.
  func merging(_ others: [Results], _ questions: [Question]) -> Results {
    var merged = self
    let known = Dictionary(questions.map { ($0.id, $0) }) { first, _ in first }
    for other in others {
      let added = Set(other.runs.keys).subtracting(merged.runs.keys)
      for name in added { merged.runs[name] = other.runs[name] }
      for (id, entries) in other.answers {
        for (run, answer) in entries where added.contains(run) {
          merged.answers[id, default: [:]][run] = known[id].map { Results.judged(answer, $0) } ?? answer
        }
      }
    }
    return merged
  }

  private static func judged(_ answer: JSON, _ question: Question) -> JSON {
    let outcome = answer["outcome"] ?? .null
    return entry(Answer.Verdict(on: outcome, of: question), outcome)
  }

  private static func entry(_ verdict: Answer.Verdict, _ outcome: JSON) -> JSON {
    .object(["verdict": .string(verdict.rawValue), "outcome": outcome])
  }

  /// The file's text.
  ///
  /// - Parameter questions: The number of questions from which the answers were taken.
  func text(questions: Int) -> String {
    let runLines = runs.sorted { $0.key < $1.key }.map { "\n  \($0.value)" }
    let answerLines = answers.sorted { PropertyListKey($0.key) < PropertyListKey($1.key) }.map {
      id, entries in
      let lines = entries.sorted { $0.key < $1.key }.map { "\n    \(JSON.string($0.key)): \($0.value)" }
      return "\n  \(JSON.string(id)): {\(lines.joined(separator: ","))}"
    }
    return "{\"atlas\": 1, \"questions\": \(questions), \"runs\": [\(runLines.joined(separator: ","))],\n"
      + "\"answers\": {\(answerLines.joined(separator: ","))}}\n"
  }

  // MARK: - Names

  private static var system: String {
    #if os(macOS)
      "macOS"
    #else
      "Linux"
    #endif
  }

  /// The name of a driver's run: the driver, its version and the system.
  private static func name(of driver: Driver) -> String {
    [driver.id, driver.versionText, system.lowercased()].filter { !$0.isEmpty }.joined(separator: "-")
  }

  /// Today, as in `2026-11-21`.
  static var today: String { String(Date().ISO8601Format().prefix(10)) }

  // MARK: - Deep values

  /// An outcome in which a value of many containers with one element each has the form of deep values.
  private static func folded(_ outcome: JSON) -> JSON {
    guard let value = outcome["value"] else { return outcome }
    var steps: [String] = []
    var inner: JSON? = value
    while let container = inner?.tagged {
      if container.tag == "a", let elements = container.value.elements, elements.count <= 1 {
        steps.append("a")
        inner = elements.first
      } else if container.tag == "o", case .object(let entries) = container.value, entries.count <= 1 {
        steps.append("o:" + (entries.first?.key.text ?? ""))
        inner = entries.first?.value
      } else {
        break
      }
    }
    guard steps.count > deepest else { return outcome }
    // The shortest beginning that makes the whole by being repeated.
    let period =
      (1...steps.count).first { length in
        steps.count.isMultiple(of: length) && steps.indices.allSatisfy { steps[$0] == steps[$0 % length] }
      } ?? steps.count
    return .tagged(
      "nested",
      .object([
        "outer_to_inner": .texts(Array(steps[..<period])), "repeat": .number(Double(steps.count / period)),
        "leaf": inner ?? .null,
      ]))
  }
}
