import Foundation
import TestSupport
import Testing

/// A terminal of a test's own, in which the built tool runs.
enum PseudoTerminal {
  /// Runs the tool with the terminal as its output and its errors; gives its exit status and what the terminal got.
  ///
  /// - Parameters:
  ///   - columns: How wide the terminal is.
  ///   - answer: What is typed; the terminal keeps it until it is read. nil if standard input is another.
  static func run(
    _ words: [String], in home: ToolHome, environment: [String: String] = ["TERM": "xterm"],
    columns: UInt16 = 80, answer: String? = nil
  ) throws -> (status: Int32, text: String) {
    var (controller, end): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try #require(openpty(&controller, &end, nil, nil, &size) == 0)
    let terminal = FileHandle(fileDescriptor: end, closeOnDealloc: true)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: BuiltProduct.path(of: "defaults"))
    process.arguments = words
    process.currentDirectoryURL = home.root
    process.environment = ["OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path].merging(environment) {
      $1
    }
    if let answer {
      process.standardInput = terminal
      let line = Array("\(answer)\n".utf8)
      try #require(Foundation.write(controller, line, line.count) == line.count)
    }
    process.standardOutput = terminal
    process.standardError = terminal
    try process.run()
    try terminal.close()
    // The terminal has little room: it is read while the tool writes, until nobody has its other end.
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Foundation.read(controller, &buffer, buffer.count)
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    Foundation.close(controller)
    process.waitUntilExit()
    // The terminal itself makes CR LF of each line end.
    return (
      process.terminationStatus, String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    )
  }
}
