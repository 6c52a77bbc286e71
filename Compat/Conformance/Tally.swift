import OpenStepPropertyList

/// The number of vectors with the expected outcome, by family and implementation.
struct Tally {
  private struct Count {
    var passed = 0
    var counted = 0

    mutating func add(_ verdict: VectorRun.Verdict) {
      switch verdict {
      case .passed: (passed, counted) = (passed + 1, counted + 1)
      case .failed: counted += 1
      case .leftOut: break
      }
    }

    var text: String { counted == 0 ? "–" : "\(passed) of \(counted)" }

    var json: JSON {
      .object(["agreements": .number(Double(passed)), "vectors": .number(Double(counted))])
    }
  }

  private let implementations: [Implementation]
  private var totals: [Implementation: Count] = [:]
  private var families: [String: [Implementation: Count]] = [:]
  private let runs: [VectorRun]

  /// Whether at least one vector applied to the package's own classes, and all of these
  /// had the expected outcome.
  var isClean: Bool {
    let own = totals.filter(\.key.isOurs).map(\.value)
    return own.allSatisfy { $0.passed == $0.counted } && totals.values.contains { $0.counted > 0 }
  }

  init(_ runs: [VectorRun], of implementations: [Implementation]) {
    self.implementations = implementations
    self.runs = runs
    for run in runs {
      totals[run.implementation, default: Count()].add(run.verdict)
      families[run.vector.family, default: [:]][run.implementation, default: Count()].add(run.verdict)
    }
  }

  /// A table with a line for each family and one for the total.
  var lines: [String] {
    var rows = [["", ""] + implementations.map(\.rawValue)]
    for (family, counts) in families.sorted(by: { $0.key < $1.key }) {
      rows.append([family, ""] + implementations.map { (counts[$0] ?? Count()).text })
    }
    rows.append(["total", ""] + implementations.map { (totals[$0] ?? Count()).text })
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
    for implementation in implementations {
      var entries: [PropertyListKey: JSON] = ["total": (totals[implementation] ?? Count()).json]
      entries["families"] = .object(
        Dictionary(
          uniqueKeysWithValues: families.compactMap { family, counts in
            counts[implementation].map { (PropertyListKey(family), $0.json) }
          }))
      entries["differences"] = .array(
        runs.filter { $0.implementation == implementation && $0.verdict == .failed }.map { run in
          .object([
            "id": .string(run.vector.id), "setup": .array(run.vector.setup), "call": run.vector.call,
            "expected": run.vector.expected, "got": run.outcome,
          ])
        })
      classes[PropertyListKey(implementation.rawValue)] = .object(entries)
    }
    return .object(classes)
  }
}
