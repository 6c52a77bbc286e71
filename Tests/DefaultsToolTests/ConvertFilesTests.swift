import DefaultsDatabase
import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// `convert` with the habits of plutil: its names of formats, and files that are written.
struct ConvertFilesTests {
  private let home: ToolHome
  private var folder: String { home.root.path }

  init() throws {
    home = try ToolHome()
    try Data("{ n = 5 /*integer*/; s = \"é\"; }".utf8).write(to: home.root.appendingPathComponent("in.plist"))
  }

  private func bytes(of name: String) throws -> Data {
    try Data(contentsOf: home.root.appendingPathComponent(name))
  }

  private func properties(of name: String) throws -> NSDictionary {
    let list = try PropertyListSerialization.propertyList(from: bytes(of: name), format: nil)
    return try #require(list as? NSDictionary)
  }

  @Test(
    "plutil's names of formats mean the same, and another reader reads what is written",
    arguments: [("xml1", "<?xml"), ("xml", "<?xml"), ("binary1", "bplist00"), ("binary", "bplist00")])
  func names(format: String, start: String) throws {
    #expect(
      home.run("convert", "-to", format, "-o", "\(folder)/out.plist", "\(folder)/in.plist")
        == .init(code: .done))
    #expect(try bytes(of: "out.plist").starts(with: Array(start.utf8)))
    #expect(try properties(of: "out.plist") == ["n": 5, "s": "é"])
    #expect(home.run("write", "App", "n", "-int", "5").code == .done)
    #expect(home.run("export", "-to", format, "App", "\(folder)/export.plist") == .init(code: .done))
    #expect(try bytes(of: "export.plist").starts(with: Array(start.utf8)))
    #expect(home.run("read", "-to", "xml1", "App", "n") == home.run("read", "-to", "xml", "App", "n"))
  }

  // It was taken for empty, and an empty file took its place.
  @Test("a file that is cut inside its first comment is damaged, and not converted, read or changed")
  func openComment() throws {
    let text = Data("/* Settings\n{ Font = Ohlfs; }\n".utf8)
    let path = "\(folder)/in.plist"
    try text.write(to: URL(fileURLWithPath: path))
    for words in [["convert", "-to", "xml", "-o", path, path], ["read", path], ["write", path, "a", "1"]] {
      let outcome = home.run(words)
      #expect(outcome.code == .damaged, "\(words)")
      #expect(
        outcome.errors.contains("in.plist:1:1: the comment that begins here is never closed"), "\(words)")
    }
    #expect(try bytes(of: "in.plist") == text)
  }

  @Test("a file of comments alone is empty, and keeps them when the first key is written")
  func commentsAlone() throws {
    let path = "\(folder)/in.strings"
    try Data("/* License */\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect(home.run("convert", "-to", "json", path) == .init(code: .done, output: "{}\n"))
    #expect(home.run("write", path, "a", "1") == .init(code: .done))
    #expect(try bytes(of: "in.strings") == Data("/* License */\na = 1;\n".utf8))
  }

  @Test("the file that is written may be the one that is read; it keeps its permissions")
  func inPlace() throws {
    let path = "\(folder)/in.plist"
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(home.run("convert", "-to", "xml", "-o", path, path) == .init(code: .done))
    #expect(try properties(of: "in.plist") == ["n": 5, "s": "é"])
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
  }

  @Test("a change that is made between reading and writing the same file stays, by whatever path it is named")
  func changedMeanwhile() throws {
    let (path, link) = ("\(folder)/in.plist", "\(folder)/link.plist")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let theirs = Data("{ theirs = 1; }".utf8)
    // Another program writes just before this one has the lock.
    let disk = FaultyFileSystem { operation in
      if operation.name == "tryLock" { try? theirs.write(to: URL(fileURLWithPath: path)) }
      return nil
    }
    for target in [path, link] {
      try Data("{ n = 5 /*integer*/; }".utf8).write(to: URL(fileURLWithPath: path))
      let outcome = home.run(["convert", "-to", "xml", "-o", target, path], on: disk)
      #expect(
        outcome
          == .init(
            code: .refused,
            errors:
              "defaults: \(target): was changed meanwhile; nothing was written, and it can be tried again\n"))
      #expect(try bytes(of: "in.plist") == theirs)
    }
  }

  @Test("the file that is written may be the one to which the shell has opened the standard input")
  func inPlaceFromInput() throws {
    #expect(try home.shell("defaults convert -to xml -o in.plist - < in.plist") == .init(status: 0))
    #expect(try properties(of: "in.plist") == ["n": 5, "s": "é"])

    // Another program writes it after it was read, while this one waits for the lock.
    let path = "\(folder)/in.plist"
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX) == 0)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: BuiltProduct.path(of: "defaults"))
    process.arguments = ["convert", "-to", "openstep", "-o", path, "-"]
    process.environment = ["HOME": folder]
    let input = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    let size = try bytes(of: "in.plist").count
    try process.run()
    // Both processes have one position in the file.
    while lseek(input.fileDescriptor, 0, SEEK_CUR) < size, process.isRunning {
      CurrentProcess.pause(microseconds: 1000)
    }
    let theirs = Data("{ theirs = 1; }".utf8)
    try theirs.write(to: URL(fileURLWithPath: path))
    #expect(flock(lock, LOCK_UN) == 0)
    process.waitUntilExit()
    #expect(process.terminationStatus == 3)
    #expect(try bytes(of: "in.plist") == theirs)
  }

  @Test("a file that cannot be converted leaves the one that would be written as it is")
  func failures() throws {
    try Data("{ n = ".utf8).write(to: home.root.appendingPathComponent("bad.plist"))
    try Data("old".utf8).write(to: home.root.appendingPathComponent("out.plist"))
    #expect(
      home.run("convert", "-to", "xml", "-o", "\(folder)/out.plist", "\(folder)/bad.plist").code == .damaged)
    #expect(
      home.run("convert", "-to", "windowmaker", "-o", "\(folder)/out.plist", "\(folder)/in.plist").code
        == .refused)
    #expect(try bytes(of: "out.plist") == Data("old".utf8))
    let outcome = home.run("convert", "-to", "xml", "-o", "\(folder)/none/out.plist", "\(folder)/in.plist")
    #expect(outcome.code == .inputOutput && outcome.errors.contains("/none: "))
  }

  @Test("standard output gets the bytes, also for the path “-”")
  func standardOutput() throws {
    let script = """
      defaults convert -to binary1 in.plist > a; defaults convert -to binary -o - in.plist > b; cmp a b
      defaults convert -to flat a
      """
    #expect(try home.shell(script) == .init(status: 0, output: ".n '5 /*integer*/'\n.s é\n"))
  }

  @Test(
    "a binary file is not printed on a terminal",
    arguments: ["convert -to binary in.plist", "export -to binary App -"])
  func terminal(line: String) throws {
    #expect(home.run("write", "App", "n", "5").code == .done)
    let (status, text) = try PseudoTerminal.run(line.split(separator: " ").map(String.init), in: home)
    #expect(status == 3)
    #expect(text.hasPrefix("defaults: a binary file is not printed on a terminal; "), "\(text)")
    #expect(text.split(separator: "\n").count == 1)
  }

  @Test("Window Maker's text has the bytes of UTF-8 as octal escapes, and no types")
  func windowMaker() throws {
    let text = home.run(
      ["convert", "-to", "windowmaker", "-"], input: Array("{ Name = \"é\"; l = (a, <0f>); }".utf8))
    #expect(text.code == .done && text.output.contains("Name = \"\\303\\251\";"))
    #expect(
      home.run(["convert", "-from", "windowmaker", "-to", "flat", "-"], input: Array(text.output.utf8)).output
        == ".Name é\n.l[0] a\n.l[1] <0f>\n")
    let refused = home.run(
      ["convert", "-to", "windowmaker", "-"], input: Array("{ n = 5 /*integer*/; }".utf8))
    #expect(refused.code == .refused && refused.output.isEmpty)
    #expect(refused.errors.contains("Window Maker's text has no types"))
  }
}
