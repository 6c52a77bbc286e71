import Foundation
import OpenStepPropertyList

/// A table of questions and answers: a row for each question, a column for each run.
struct PageTable {
  /// The class of the table, by which the style sheet finds its columns.
  let style: String
  let runs: [Page.Run]
  let results: Results

  /// Whether a question has answers, and all are the expected one.
  func isAgreedOn(_ question: Question) -> Bool {
    let answers = results.answers[question.id] ?? [:]
    return !answers.isEmpty
      && answers.values.allSatisfy { $0["verdict"]?.text == Answer.Verdict.agrees.rawValue }
  }

  /// The table's HTML; the end tags that a row can do without are left out.
  func text(_ questions: [Question]) -> String {
    let heads = runs.map { "<th scope=\"col\">\(HTML.escaped($0.id))" }.joined()
    return """
      <table class="\(style)"><thead><tr><th scope="col">Id<th scope="col">Question<th scope="col">Basis\
      <th scope="col">Expected\(heads)<tbody>
      \(questions.map(row).joined(separator: "\n"))
      </table>
      """
  }

  private func row(_ question: Question) -> String {
    let id = HTML.escaped(question.id)
    let hash = HTML.escaped(question.id.split(separator: "/").last.map(String.init) ?? question.id)
    var words = HTML.escaped(question.title)
    if case .text(let base64) = question.experiment, !isQuoted(base64, in: question.title) {
      words += " \(HTML.code(ofBase64: base64))"
    }
    if question.basis == .choice { words += " <i>\(HTML.escaped(question.note))</i>" }
    let cells = runs.map { "<td" + cell(results.answers[question.id]?[$0.id], question) }.joined()
    return "<tr id=\"\(id)\"><td><a href=\"#\(id)\">\(hash)</a><td>\(words)"
      + "<td>\(question.basis?.rawValue ?? "")<td>\(HTML.code(question.expected))\(cells)"
  }

  /// Whether a title has the whole input, as the titles of short texts do.
  private func isQuoted(_ base64: String, in title: String) -> Bool {
    Data(base64Encoded: base64).flatMap { String(data: $0, encoding: .utf8) }.map {
      title.contains("“\($0)”")
    }
      ?? false
  }

  /// The rest of a cell's tag and its content: a sign, and the answer where it is not the expected one.
  private func cell(_ answer: JSON?, _ question: Question) -> String {
    guard let verdict = answer?["verdict"]?.text.flatMap(Answer.Verdict.init) else { return ">" }
    let outcome = answer?["outcome"] ?? .null
    return switch verdict {
    case .agrees: ">✓"
    case .differs: " class=\"d\">≠ \(HTML.code(outcome))"
    case .absent: " class=\"a\">–"
    case .unsupported: " class=\"a\">? \(HTML.code(outcome["unsupported"] ?? .null))"
    case .aborts: " class=\"x\">✗ ends" + (outcome["aborts"] == nil ? " \(HTML.code(outcome))" : "")
    case .hangs: " class=\"x\">⧖ hangs"
    case .broken: " class=\"x\">! breaks the protocol"
    case .notRun: " class=\"a\">·"
    }
  }
}
