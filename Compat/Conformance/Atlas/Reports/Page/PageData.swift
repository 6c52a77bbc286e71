import OpenStepPropertyList

/// The data of a page: the questions and the results in a short form.
///
/// ```
/// {"atlas": 1, "runs": […], "grounds": [[basis, source], …],
///  "questions": {ID: [ground, note, setup, call, expected, [answer, …]]}}
/// ```
///
/// The runs are those of the file of results. The ground is the index of a question's basis and source. A text
/// question has null for its setup, and its Base64 for its call. The answers stand in the order of the runs: null
/// where there is none, 1 for exactly the expected outcome, else `[verdict, outcome]`. A value whose JSON without
/// spaces has more than 200 bytes is `{"cut": {"start": …, "bytes": …, "hash": …}}`, with the FNV-1a hash of
/// that JSON.
enum PageData {
  static func json(_ questions: [Question], _ results: Results, _ runs: [Page.Run]) -> JSON {
    let grounds = Dictionary(questions.map { (ground(of: $0).compact, ground(of: $0)) }) { first, _ in first }
      .sorted { $0.key < $1.key }
    let indices = Dictionary(uniqueKeysWithValues: grounds.enumerated().map { ($1.key, $0) })
    let entries = questions.map { question in
      let answers = runs.map { run in
        results.answers[question.id]?[run.id].map { short($0, expected: question.expected) } ?? .null
      }
      return (PropertyListKey(question.id), JSON.array(fields(of: question, indices) + [.array(answers)]))
    }
    return .object([
      "atlas": .number(1), "runs": .array(runs.map(\.description)),
      "grounds": .array(grounds.map(\.value)),
      // Ids that are used twice are shown twice, and have one entry here.
      "questions": .object(Dictionary(entries) { first, _ in first }),
    ])
  }

  private static func fields(of question: Question, _ grounds: [String: Int]) -> [JSON] {
    let experiment: [JSON] =
      switch question.experiment {
      case .behaviour(_, let setup, let call): [cut(.array(setup)), cut(call)]
      case .text(let base64): [.null, cut(.string(base64))]
      }
    let ground = grounds[ground(of: question).compact] ?? 0
    return [.number(Double(ground)), .string(question.note)] + experiment + [cut(question.expected)]
  }

  private static func ground(of question: Question) -> JSON {
    .texts([question.basis?.rawValue ?? "", question.source])
  }

  private static func short(_ answer: JSON, expected: JSON) -> JSON {
    let (verdict, outcome) = (answer["verdict"] ?? .null, answer["outcome"] ?? .null)
    if verdict.text == Answer.Verdict.agrees.rawValue, outcome.compact == expected.compact {
      return .number(1)
    }
    return .array([verdict, cut(outcome)])
  }

  private static func cut(_ json: JSON) -> JSON {
    let text = json.compact
    guard text.utf8.count > HTML.longest else { return json }
    return .tagged(
      "cut",
      .object([
        "start": .string(String(text.prefix(80))), "bytes": .number(Double(text.utf8.count)),
        "hash": .string(HTML.hash(text.utf8)),
      ]))
  }
}
