import DefaultsDatabase
import DefaultsTool
import TestSupport
import Testing

/// `doctor -repair` is killed, the power fails, or the system refuses something, before each of its operations.
struct RepairPowerCutTests {
  private static let directory = CommandPowerCutTests.directory
  private static let damaged = Array("{ a = 1; b = (; c = 3; }\n".utf8)
  private static let (doubled, single) = (Array("{ a = 1; a = 2; }\n".utf8), Array("{ a = 2; }\n".utf8))

  /// A disk with a damaged file and one with equal keys.
  private func disk() throws -> FileTree {
    var tree = FileTree()
    try tree.addDirectory(RepairPowerCutTests.directory)
    try tree.addFile(RepairPowerCutTests.directory + "/D.plist", RepairPowerCutTests.damaged)
    try tree.addFile(RepairPowerCutTests.directory + "/E.plist", RepairPowerCutTests.doubled)
    return tree
  }

  private func files(of tree: FileTree) -> [[UInt8]?] {
    ["D", "E"].map { tree.bytes(at: "\(RepairPowerCutTests.directory)/\($0).plist") }
  }

  /// Why the files are neither as before the repair nor as after it; nil where all is well.
  private func complaint(about tree: FileTree, isDone: Bool) -> String? {
    let directory = RepairPowerCutTests.directory
    guard let file = tree.bytes(at: directory + "/D.plist") else { return "the damaged file is gone" }
    if file == RepairPowerCutTests.damaged {
      if isDone { return "nothing was rescued" }
    } else {
      let copies = tree.names(in: directory).filter { $0.hasPrefix("D.damaged-") }
      if !copies.contains(where: { tree.bytes(at: "\(directory)/\($0)") == RepairPowerCutTests.damaged }) {
        return "the damaged file was not kept"
      }
      let text = String(decoding: file, as: UTF8.self)
      if text.firstMatch(of: /^\/\* rescued .* \*\/\n\{ a = 1;  c = 3; \}\n$/) == nil { return text }
    }
    let other = tree.bytes(at: directory + "/E.plist")
    if other == RepairPowerCutTests.single { return nil }
    return other == RepairPowerCutTests.doubled && !isDone ? nil : "the equal keys are not as they must be"
  }

  /// Why a repair after one that was cut short does not do the rest; nil where all is well.
  private func laterComplaint(about tree: FileTree, undoing: Bool) -> String? {
    let disk = RecordingFileSystem(tree)
    let outcome = CommandPowerCutTests.run(["doctor", "-repair"], on: disk)
    if outcome.code != .done || !outcome.output.hasSuffix("well\n") { return "the next repair: \(outcome)" }
    if let complaint = complaint(about: disk.tree, isDone: true) { return "the next repair: \(complaint)" }
    guard undoing else { return nil }
    let mended = files(of: disk.tree)
    let undone = CommandPowerCutTests.run(["undo"], on: disk)
    if undone.code != .done || files(of: disk.tree) == mended { return "undo: \(undone)" }
    return complaint(about: disk.tree, isDone: false).map { "undo: \($0)" }
  }

  @Test("a repair that is cut short leaves each file as before or mended, and the next one does the rest")
  func everyMoment() throws {
    let fileSystem = RecordingFileSystem(try disk())
    let moments = Lock<[FileTree]>([])
    let outcome = CommandPowerCutTests.run(
      ["doctor", "-repair"],
      on: FaultyFileSystem(fileSystem) { operation in
        if CommandPowerCutTests.changes(operation) { moments.withLock { $0.append(fileSystem.tree) } }
        return nil
      })
    #expect(outcome.code == .done && outcome.errors.isEmpty, "\(outcome)")
    var complaints: Set<String> = []
    func judge(_ tree: FileTree, isDone: Bool) {
      if let complaint = complaint(about: tree, isDone: isDone) { complaints.insert(complaint) }
      if let complaint = laterComplaint(about: tree, undoing: true) { complaints.insert(complaint) }
    }
    for moment in moments.withLock({ $0 }) {
      judge(moment, isDone: false)
      // Of the disks that a loss of power may leave, some are looked at, spread over all of them.
      var number = 0
      moment.forEachPowerCut { _ in number += 1 }
      let step = max(1, number / 6)
      number = 0
      moment.forEachPowerCut { tree in
        if number % step == 0 { judge(tree, isDone: false) }
        number += 1
      }
    }
    fileSystem.tree.forEachPowerCut { judge($0, isDone: true) }
    #expect(complaints.isEmpty, "\(complaints.sorted().prefix(5).joined(separator: "\n"))")
    #expect(moments.withLock { $0.count } >= 10)
  }

  @Test("whatever operation of a repair fails, it says so or is done, and no file is lost")
  func everyFailure() throws {
    let start = try disk()
    let whole = FaultyFileSystem(RecordingFileSystem(start))
    #expect(CommandPowerCutTests.run(["doctor", "-repair"], on: whole).code == .done)
    for index in stride(from: 0, to: whole.operations.count, by: 2) {
      let fileSystem = RecordingFileSystem(start)
      let outcome = CommandPowerCutTests.run(
        ["doctor", "-repair"], on: FaultyFileSystem(fileSystem) { $0.index == index ? .inputOutput : nil })
      let isRepaired = self.complaint(about: fileSystem.tree, isDone: true) == nil
      // A file that could be read only after the repairs has a warning again, which is no failure.
      let isNamed =
        outcome.output.hasSuffix("\n0 errors, 1 warning\n")
        && outcome.output.contains("warning: \(RepairPowerCutTests.directory)/E.plist:1:3: ")
      #expect(isRepaired || outcome.code != .done || isNamed, "\(whole.operations[index]): \(outcome)")
      let complaint =
        complaint(about: fileSystem.tree, isDone: outcome.output.hasSuffix("\nwell\n"))
        ?? laterComplaint(about: fileSystem.tree, undoing: false)
      #expect(complaint == nil, "\(whole.operations[index]): \(outcome)")
      #expect(fileSystem.openCount == 0, "\(whole.operations[index])")
    }
  }
}
