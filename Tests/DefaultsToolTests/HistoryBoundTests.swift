import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The bound of the history over very many commands.
struct HistoryBoundTests {
  private let home: ToolHome
  private var history: String { home.path + "/.history" }

  init() throws {
    home = try ToolHome()
  }

  /// How many files the history has.
  private func fileCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: history).count
  }

  /// How many bytes the history's files have, after it was looked at who may read them.
  private func size() throws -> Int {
    let files = FileManager.default
    func attributes(_ path: String) throws -> (mode: Int?, size: Int) {
      let attributes = try files.attributesOfItem(atPath: path)
      return (attributes[.posixPermissions] as? Int, attributes[.size] as? Int ?? 0)
    }
    #expect(try attributes(history).mode == 0o700)
    return try files.contentsOfDirectory(atPath: history).reduce(0) { size, name in
      let (mode, count) = try attributes("\(history)/\(name)")
      #expect(mode == 0o600, "\(name)")
      return size + count
    }
  }

  @Test(
    "hundreds of writes never exceed a hundred entries, and 4 MiB and one entry",
    .timeLimit(.minutes(30)), arguments: [100, 60_000])
  func writes(valueSize: Int) throws {
    // Ten thousand take many minutes here: `.ci/history` makes as many by the optimized tool.
    let count = valueSize > 1000 ? 200 : 400
    // An entry has at most the file before and after it, and a line of the log.
    let entry = 2 * (valueSize + 1000) + 2000
    // All values have the same size. Once a hundred entries are kept, a write that left anything behind would show
    // at once: only the numbers grow, of which a line has three, and the log one more.
    var steady: (size: Int, fileCount: Int)?
    let growth = (3 * 100 + 1) * 3
    for number in 1...count {
      let value = "\(1_000_000 + number)" + String(repeating: "x", count: valueSize)
      try #require(home.run("write", "T", "k", value).code == .done)
      guard number % 100 == 0 else { continue }
      #expect(try size() <= (4 << 20) + entry, "\(number) writes")
      #expect(home.run("log").output.split(separator: "\n").count <= 100)
      guard valueSize < 1000, number >= 200 else { continue }
      if let steady {
        #expect(try size() <= steady.size + growth && fileCount() == steady.fileCount, "\(number) writes")
      } else {
        steady = (try size(), try fileCount())
      }
    }
    #expect(home.run("undo").code == .done)
    #expect(home.run("read", "-to", "value", "T", "k").output.hasPrefix("\(1_000_000 + count - 1)x"))
  }

  @Test("three hundred writes by the tool itself keep the bound, too")
  func processes() throws {
    let script = """
      i=0; while [ $((i += 1)) -le 300 ]; do defaults write T k $i || exit; done
      defaults log | wc -l | tr -d ' '; defaults log | head -n 1 | cut -d ' ' -f 1; defaults read T k
      """
    #expect(try home.shell(script) == .init(status: 0, output: "100\n300\nT k 300\n"))
    #expect(try size() <= 4 << 20)
  }

  @Test("a command whose files take more than there is room for together says so, and from which domain on")
  func shortage() throws {
    let text = String(repeating: "x", count: 900_000)
    for index in 1...4 { try home.write("{ a = \(text)1; }", to: "D\(index).plist") }
    #expect(home.run("snapshot", "s").code == .done)
    for index in 1...4 { try home.write("{ a = \(text)2; }", to: "D\(index).plist") }
    let outcome = home.run("restore", "s")
    #expect(outcome.code == .done && outcome.output == "D1 restored\nD2 restored\nD3 restored\nD4 restored\n")
    #expect(
      outcome.errors
        == "defaults: \(home.path)/.history: the files that the command changes take more than 4 MB together; "
        + "“defaults undo” cannot take back its change of “D3”, nor those behind it that find no room\n")
    #expect(home.run("undo").code == .refused)
    #expect(home.run("undo", "-force").code == .done)
    #expect(try home.text(of: "D2.plist").hasSuffix("2; }"))
  }
}
