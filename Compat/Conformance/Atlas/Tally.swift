import OpenStepPropertyList

/// The number of questions with the expected outcome, by family and driver.
struct Tally {
  private struct Count {
    var passed = 0
    var counted = 0

    mutating func add(_ verdict: Answer.Verdict) {
      switch verdict {
      case .agrees: (passed, counted) = (passed + 1, counted + 1)
      case .notRun: break
      default: counted += 1
      }
    }

    var text: String { counted == 0 ? "–" : "\(passed) of \(counted)" }

    var json: JSON {
      .object(["agreements": .number(Double(passed)), "vectors": .number(Double(counted))])
    }
  }

  private let drivers: [Driver]
  private var totals: [String: Count] = [:]
  private var families: [String: [String: Count]] = [:]
  private let runs: [Answer]

  /// Whether all answers of the package's own classes are the expected ones.
  var isClean: Bool {
    let own = drivers.filter(\.definesExpectations).map { totals[$0.id] ?? Count() }
    return own.allSatisfy { $0.passed == $0.counted }
  }

  init(_ runs: [Answer], of drivers: [Driver]) {
    self.drivers = drivers
    self.runs = runs
    for run in runs {
      totals[run.driver.id, default: Count()].add(run.verdict)
      families[Tally.row(run.question), default: [:]][run.driver.id, default: Count()].add(run.verdict)
    }
  }

  /// A table with a line for each family and one for the total.
  var lines: [String] {
    var rows = [["", ""] + drivers.map(\.id)]
    for (family, counts) in families.sorted(by: { $0.key < $1.key }) {
      rows.append([family, ""] + drivers.map { (counts[$0.id] ?? Count()).text })
    }
    rows.append(["total", ""] + drivers.map { (totals[$0.id] ?? Count()).text })
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).enumerated().map { index, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return index == 0 ? cell.0 + padding : padding + cell.0
      }
      return cells.joined(separator: "  ")
    }
  }

  /// The counts, and each difference between the expected and the actual outcome.
  var json: JSON {
    var classes: [PropertyListKey: JSON] = [:]
    for driver in drivers {
      var entries: [PropertyListKey: JSON] = ["total": (totals[driver.id] ?? Count()).json]
      entries["families"] = .object(
        Dictionary(
          uniqueKeysWithValues: families.compactMap { family, counts in
            counts[driver.id].map { (PropertyListKey(family), $0.json) }
          }))
      entries["differences"] = .array(
        runs.filter { $0.driver.id == driver.id && ![.agrees, .notRun].contains($0.verdict) }
          .map(Tally.difference))
      classes[PropertyListKey(driver.id)] = .object(entries)
    }
    return .object(classes)
  }

  /// The name of a question's row: texts have families of the same names as behaviour.
  private static func row(_ question: Question) -> String {
    question.isText ? "text/\(question.family)" : question.family
  }

  private static func difference(_ answer: Answer) -> JSON {
    var entries: [PropertyListKey: JSON] = [
      "id": .string(answer.question.id), "expected": answer.question.expected, "got": answer.outcome,
    ]
    switch answer.question.experiment {
    case .behaviour(_, let setup, let call): (entries["setup"], entries["call"]) = (.array(setup), call)
    case .text(let base64): entries["input_base64"] = .string(base64)
    }
    return .object(entries)
  }
}
