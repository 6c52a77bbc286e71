import BenchmarkKit
import Testing

struct RowTests {
  @Test("the contenders are measured in turn, again and again")
  func interleaved() throws {
    var order: [String] = []
    func contender(_ name: String, _ role: Contender.Role) -> Contender {
      Contender(
        name, role,
        .value {
          order.append(name)
          return Double(order.count)
        })
    }
    let row = Row("row", repetitions: 3) { [contender("ours", .ours), contender("peer", .peer)] }
    let result = try row.run(pace: Pace(isBrief: false))
    #expect(order == ["ours", "peer", "ours", "peer", "ours", "peer"])
    #expect(result.contenders.map(\.values) == [[1, 3, 5], [2, 4, 6]])
  }

  @Test("what takes passes gets as many as fill a repetition, and the time of one operation counts")
  func passes() throws {
    // A pass of two operations takes 1 ms.
    var counts: [Int] = []
    let row = Row("row", repetitions: 1) {
      [
        .ours(operations: 2) {
          counts.append($0)
          return Double($0) * 1e6
        }
      ]
    }
    let result = try row.run(pace: Pace(isBrief: false))
    #expect(counts.last == 20)
    #expect(result.contenders.map(\.values) == [[500_000]])
  }

  @Test("a brief run measures each contender once")
  func brief() throws {
    var count = 0
    let row = Row("row", repetitions: 9) {
      [
        .ours(value: {
          count += 1
          return 1
        })
      ]
    }
    _ = try row.run(pace: Pace(isBrief: true))
    #expect(count == 1)
  }

  @Test("who cannot be measured says why, and so does a limit that a busy machine lowers")
  func obstacles() throws {
    let row = Row("row", unit: .percent, repetitions: 1) {
      [
        .ours(value: { 100 }), Contender("peer", .peer, .absent("not installed")),
        Contender("limit", .limit, .value { 120 }, leastQuiet: 150),
        Contender("quiet", .limit, .value { 150 }, leastQuiet: 150),
      ]
    }
    let result = try row.run(pace: Pace(isBrief: false))
    #expect(
      result.others.map(\.obstacle) == [
        "not installed", "the machine is busy: a quiet one gives at least 150 %", nil,
      ])
  }

  @Test("a ratio is the median of the ratios within each repetition")
  func ratios() {
    // The medians are 20 and 10, but in most repetitions the two are equal.
    let other = ContenderResult(name: "peer", role: .peer, values: [10, 10, 30])
    let result = RowResult(
      name: "row", unit: .nanoseconds,
      contenders: [ContenderResult(name: "ours", role: .ours, values: [10, 20, 30]), other])
    #expect(result.ratio(to: other) == 1)
  }
}
