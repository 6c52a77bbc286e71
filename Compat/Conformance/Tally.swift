/// How many vectors passed, by API and family.
struct Tally {
  private struct Count {
    var passed = 0
    var counted = 0
    var waiting = 0

    mutating func add(_ verdict: VectorRun.Verdict) {
      switch verdict {
      case .passed: (passed, counted) = (passed + 1, counted + 1)
      case .failed: counted += 1
      case .waiting: waiting += 1
      }
    }

    var text: String {
      "\(passed) of \(counted)" + (waiting > 0 ? ", \(waiting) waiting for the shim" : "")
    }
  }

  private var total = Count()
  private var byAPI: [String: Count] = [:]
  private var byFamily: [String: [String: Count]] = [:]

  /// Whether there was something to count, and all of it passed.
  var isClean: Bool { total.counted > 0 && total.passed == total.counted }

  init(_ runs: [VectorRun]) {
    for run in runs {
      total.add(run.verdict)
      byAPI[run.vector.api, default: Count()].add(run.verdict)
      byFamily[run.vector.api, default: [:]][run.vector.family, default: Count()].add(run.verdict)
    }
  }

  /// A line for each family and each API, and the total at the end.
  var lines: [String] {
    var rows: [(name: String, count: Count)] = []
    for (api, count) in byAPI.sorted(by: { $0.key < $1.key }) {
      let families = (byFamily[api] ?? [:]).sorted { $0.key < $1.key }
      rows += families.map { ("\(api)/\($0.key)", $0.value) }
      rows.append((api, count))
    }
    rows.append(("total", total))
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { $0.name + String(repeating: " ", count: width - $0.name.count) + "  " + $0.count.text }
  }
}
