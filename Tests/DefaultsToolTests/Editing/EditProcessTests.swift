import DefaultsDatabase
import Foundation
import TestSupport
import Testing

/// `edit` as a process of its own: its terminal, and its signals.
struct EditProcessTests {
  private let home: ToolHome
  private let texts: String

  init() throws {
    home = try ToolHome()
    texts = home.root.path + "/texts"
    try FileManager.default.createDirectory(atPath: texts, withIntermediateDirectories: true)
    try home.write("{ a = 1; }", to: "App.plist")
  }

  /// The command that runs a shell script in which `$1` is the text, and `$HERE` a directory for its own files.
  private func editor(_ script: String) throws -> String {
    let path = home.root.path + "/editor"
    try Data("HERE='\(home.root.path)'\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
    return "sh \(path)"
  }

  private func tool(editor script: String) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: BuiltProduct.path(of: "defaults"))
    process.arguments = ["edit", "App"]
    process.environment = [
      "OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "TMPDIR": texts,
      "EDITOR": try editor(script),
      "PATH": "/usr/bin:/bin",
    ]
    return process
  }

  private func left() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: texts).map { "\(texts)/\($0)/App.plist" }
  }

  @Test("the terminal shows the mistake and takes the answers", arguments: ["k", "e", "x\nk"])
  func terminal(answer: String) throws {
    var (controller, end): (Int32, Int32) = (-1, -1)
    try #require(openpty(&controller, &end, nil, nil, nil) == 0)
    let terminal = FileHandle(fileDescriptor: end, closeOnDealloc: true)
    let process = try tool(
      editor:
        "if [ -e $HERE/second ]; then echo '{ a = 3; }' > \"$1\"; else touch $HERE/second; echo '{ a' > \"$1\"; fi"
    )
    process.standardInput = terminal
    process.standardOutput = terminal
    process.standardError = terminal
    // The terminal keeps the line until it is read.
    let line = Array("\(answer)\n".utf8)
    #expect(Foundation.write(controller, line, line.count) == line.count)
    try process.run()
    process.waitUntilExit()
    try terminal.close()
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Foundation.read(controller, &buffer, buffer.count)
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    Foundation.close(controller)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(
      text.contains("App.plist:2:1: ") && text.contains("(e)dit again, (k)eep the text and stop: "), "\(text)"
    )
    if answer == "e" {
      #expect(try process.terminationStatus == 0 && left().isEmpty)
      #expect(try home.text(of: "App.plist") == "{ a = 3; }\n")
    } else {
      let kept = try #require(try left().first)
      #expect(process.terminationStatus == 4 && text.contains("your text is kept as \(kept)"))
      #expect(try String(contentsOfFile: kept, encoding: .utf8) == "{ a\n")
      #expect(try home.text(of: "App.plist") == "{ a = 1; }")
    }
  }

  @Test(
    "a tool that is ended while the editor runs leaves the text; an interruption is the editor's alone",
    arguments: [Signal.terminate, .hangUp, .kill, .interrupt])
  func signals(_ signal: Signal) throws {
    // It ends by itself where the test has ended.
    let editor = try editor(
      "echo '{ a = 2; }' > \"$1\"; : > $HERE/ready; while [ -e $HERE/ready ]; do sleep 0.01; done")
    let process = try ChildProcess(
      program: BuiltProduct.path(of: "defaults"), arguments: ["edit", "App"],
      environment: [
        "OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path, "TMPDIR": texts, "XDG_RUNTIME_DIR": "",
        "VISUAL": editor,
      ], standardError: home.root.path + "/errors")
    let ready = home.root.path + "/ready"
    while process.isRunning, !FileManager.default.fileExists(atPath: ready) {
      CurrentProcess.pause(microseconds: 1000)
    }
    process.send(signal)
    if signal == .interrupt { try FileManager.default.removeItem(atPath: ready) }
    while process.isRunning { CurrentProcess.pause(microseconds: 1000) }
    if signal == .interrupt {
      #expect(process.ending == .status(0))
      #expect(try home.text(of: "App.plist") == "{ a = 2; }\n" && left().isEmpty)
    } else {
      #expect(process.ending == .signal(signal))
      #expect(try home.text(of: "App.plist") == "{ a = 1; }")
      let kept = try #require(try left().first)
      #expect(try String(contentsOfFile: kept, encoding: .utf8) == "{ a = 2; }\n")
    }
  }
}
