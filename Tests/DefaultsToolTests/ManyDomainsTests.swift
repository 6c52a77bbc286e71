import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What commands over very many domains cost.
struct ManyDomainsTests {
  @Test(
    "the domains that are named are not looked for one after the other among all",
    .timeLimit(.minutes(30)), arguments: ["restore", "doctor"])
  func named(verb: String) throws {
    let growth = try growth(from: 150, to: 3000, bound: 60) { count in
      let home = try ToolHome()
      try #require(home.run("snapshot", "one").code == .done)
      let snapshot = home.database.appendingPathComponent(".history/snapshots/one")
      // Names that differ at their ends only take long to compare.
      let names = (0..<count).map { String(repeating: "n", count: 200) + "\(100_000 + $0)" }
      for name in names {
        let file = "\(name).plist"
        try home.write("{ a = b; }", to: file)
        if verb == "restore" { try Data("{ a = b; }".utf8).write(to: snapshot.appendingPathComponent(file)) }
      }
      // With one that does not exist nothing is done for the others.
      let last = [String](repeating: names[count - 1], count: 20 * count) + ["None"]
      let words = verb == "restore" ? ["restore", "-n", "one"] : ["doctor"]
      let start = threadTime()
      let outcome = home.run(words + last)
      let time = threadTime() - start
      #expect(outcome.code == .absent && outcome.errors.contains("None"), "\(outcome)")
      return time
    }
    // In quadratic time it would be 400 times.
    #expect(growth < 60, "\(growth)")
  }
}
