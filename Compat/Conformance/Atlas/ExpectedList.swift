import Foundation
import OpenStepPropertyList

/// The questions whose answers are known to differ: lines of the form `ID [outcome]  # reason`.
struct ExpectedList {
  private struct Entry {
    let line: Int
    /// With an outcome, exactly that one is excused.
    let outcome: JSON?
  }

  private let path: String
  private var entries: [String: Entry] = [:]

  init(path: String) throws {
    self.path = path
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let place = "\(path):\(index + 1)"
      let content = ExpectedList.withoutReason(line)
      let parts = content.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard let id = parts.first.map(String.init) else { continue }
      var outcome: JSON?
      if parts.count > 1 {
        do {
          outcome = try JSONReader.value(of: parts[1].utf8)
        } catch {
          throw UsageError("\(place): the outcome behind \(id) is not JSON: \(error)")
        }
      }
      guard entries.updateValue(Entry(line: index + 1, outcome: outcome), forKey: id) == nil else {
        throw UsageError("\(place): \(id) is listed twice")
      }
    }
  }

  /// The text in front of a `#` that stands at the beginning or behind white space, outside of strings.
  private static func withoutReason(_ line: Substring) -> String {
    var isInString = false
    var isEscaped = false
    var previous: Character = " "
    for index in line.indices {
      let character = line[index]
      if character == "#", !isInString, previous == " " || previous == "\t" {
        return line[..<index].trimmingCharacters(in: .whitespaces)
      }
      if character == "\"", !isEscaped { isInString.toggle() }
      isEscaped = character == "\\" && !isEscaped
      previous = character
    }
    return line.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Whether a difference is listed, with the outcome that it has if one is listed.
  func excuses(_ answer: Answer) -> Bool {
    guard answer.verdict != .agrees, let entry = entries[answer.question.id] else { return false }
    return entry.outcome.map { answer.outcome.isSame(as: $0) } ?? true
  }

  /// What is wrong with a list after a run: differences that are not listed, listed ones that agree now or
  /// have another outcome, and, among all the questions, ids that do not exist.
  func complaints(_ answers: [Answer], of questions: [Question], allowsBetter: Bool) -> [String] {
    var complaints: [String] = []
    for answer in answers {
      let id = answer.question.id
      guard let entry = entries[id] else {
        if answer.verdict != .agrees {
          complaints.append("\(id): \(answer.verdict.rawValue), and is not listed")
        }
        continue
      }
      let place = "\(path):\(entry.line)"
      if answer.verdict == .agrees {
        if !allowsBetter { complaints.append("\(place): \(id) agrees now: take it from the list") }
      } else if let outcome = entry.outcome, !answer.outcome.isSame(as: outcome) {
        complaints.append("\(place): \(id) is \(answer.outcome) now, not \(outcome)")
      }
    }
    let known = Set(questions.map(\.id))
    for (id, entry) in entries.sorted(by: { $0.value.line < $1.value.line }) where !known.contains(id) {
      let successor = QuestionFile.successor(of: id).map { ": it is \($0) now" } ?? ""
      complaints.append("\(path):\(entry.line): there is no question \(id)\(successor)")
    }
    return complaints
  }

  /// The list that excuses all differences of these answers, with their outcomes.
  static func text(excusing answers: [Answer]) -> String {
    answers.filter { $0.verdict != .agrees }.sorted { $0.question.id < $1.question.id }.map { answer in
      let outcome = answer.outcome.description
      let title = answer.question.title.isEmpty ? answer.verdict.rawValue : answer.question.title
      return "\(answer.question.id)\(outcome.utf8.count <= 1000 ? " " + outcome : "")  # \(title)\n"
    }.joined()
  }
}
