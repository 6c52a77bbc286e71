import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What is said of a damaged domain of which there is a copy that is whole, and of a damaged copy.
struct WholeCopiesTests {
  private let home: ToolHome
  private var history: String { home.path + "/.history" }

  init() throws {
    home = try ToolHome()
  }

  @Test(
    "doctor and log name the newest snapshot that has a damaged domain whole, and its command brings it back")
  func snapshots() throws {
    #expect(home.run("write", "App", "Size", "5").code == .done)
    #expect(home.run("snapshot", "before").code == .done)
    try home.write("{ Size = ", to: "App.plist")
    #expect(home.run("snapshot", "later").code == .done)
    let advice = "; the snapshot “before” has it whole: “defaults restore before App”"
    let doctor = home.run("doctor", "App").output
    #expect(doctor.split(separator: "\n").contains { $0.hasSuffix(advice) }, "\(doctor)")
    #expect(home.run("log", "App").errors.hasSuffix("\(advice)\n"))
    #expect(home.run("restore", "before", "App").code == .done)
    #expect(home.run("read", "App").output == "App Size 5\n")
    #expect(home.run("log", "App").errors.isEmpty)
  }

  @Test("without a snapshot it is the history's newest copy that is whole, and its command brings it back")
  func copies() throws {
    #expect(home.run("write", "App", "Size", "5").code == .done)
    #expect(home.run("write", "App", "Size", "6").code == .done)
    try home.write("{ Size = ", to: "App.plist")
    let copy = "\(history)/2.0.after"
    let advice = "; the history has it whole, from the command 2: “defaults import -replace App \(copy)”"
    let doctor = home.run("doctor", "App").output
    #expect(doctor.split(separator: "\n").contains { $0.hasSuffix(advice) }, "\(doctor)")
    #expect(home.run("import", "-replace", "App", copy).code == .done)
    #expect(home.run("read", "App").output == "App Size 6\n")
    // A damaged copy is none.
    try home.write("{ Size = ", to: "App.plist")
    for name in ["2.0.after", "3.0.after"] { try home.write("{", to: ".history/\(name)") }
    #expect(home.run("doctor", "App").output.contains("\(history)/1.0.after"))
  }

  @Test("a domain without a copy gets no advice about one")
  func none() throws {
    try home.write("{ Size = ", to: "App.plist")
    let doctor = home.run("doctor", "App").output
    #expect(!doctor.contains("whole:") && !doctor.contains("history"), "\(doctor)")
  }

  @Test(
    "a snapshot with a damaged file is made and listed, and both say that restore leaves its domain alone")
  func damagedSnapshot() throws {
    #expect(home.run("write", "Good", "k", "v").code == .done)
    try home.write("{ Size = ", to: "App.plist")
    let remark =
      "defaults: \(history)/snapshots/s/App.plist:1:10: the text ends where a value was expected; the “{” at 1:1 is not closed; "
      + "“defaults restore s” leaves the domain “App” as it is\n"
    #expect(home.run("snapshot", "s") == .init(code: .done, errors: remark))
    let list = home.run("snapshot")
    #expect(list.code == .done && list.output.hasPrefix("s  ") && list.errors == remark, "\(list)")
    #expect(home.run("snapshot", "g", "Good") == .init(code: .done))
    try home.write("{ Size = 5; }", to: "App.plist")
    #expect(home.run("restore", "s").code == .damaged)
    #expect(try home.text(of: "App.plist") == "{ Size = 5; }")
  }
}
