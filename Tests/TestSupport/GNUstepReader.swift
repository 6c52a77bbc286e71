import Foundation
public import OpenStepPropertyList

/// GNUstep's own property list reader, in a small program that is compiled for the tests.
///
/// It needs gobjc, gnustep-make and GNUstep's base library with its headers. Where they are missing,
/// tests that need them are skipped, except on the build server.
public final class GNUstepReader {
  /// What a skipped test says.
  public static let absence = "gnustep-config is not installed"

  /// Whether tests that need GNUstep are to run: it is there, or its absence is a failure.
  public static var isExpected: Bool {
    BuildServer.isRunning || FileManager.default.isExecutableFile(atPath: "/usr/bin/gnustep-config")
  }

  private let directory: URL
  private var program: URL { directory.appendingPathComponent("gnustep-reader") }

  /// Compiles the program into a directory of its own, which goes when the reader does.
  public init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("gnustep-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("OpenStepPropertyListTests/Fixtures/gnustep-reader.m")
    let compile =
      "gcc $(gnustep-config --objc-flags) -o \"$1\" \"$2\" $(gnustep-config --base-libs)"
    _ = try GNUstepReader.run("/bin/sh", ["-c", compile, "sh", program.path, source.path])
  }

  deinit {
    // Left behind, it would only lie in the system's temporary directory.
    try? FileManager.default.removeItem(at: directory)
  }

  /// Reads texts as GNUstep reads files; nil for one that it refuses.
  public func read(_ texts: [[UInt8]]) throws -> [PropertyList?] {
    var paths: [String] = []
    for (index, text) in texts.enumerated() {
      let file = directory.appendingPathComponent("\(index).plist")
      try Data(text).write(to: file)
      paths.append(file.path)
    }
    let lines = try GNUstepReader.run(program.path, paths).split(separator: UInt8(ascii: "\n"))
    guard lines.count == texts.count else { throw Failure(description: "\(lines.count) lines of output") }
    return try lines.map { line in
      line.elementsEqual("error".utf8) ? nil : try PropertyList(tagged: JSONValue(parsing: line))
    }
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a program to its end and gives its standard output.
  private static func run(_ program: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(program) ended with status \(process.terminationStatus)")
    }
    return data
  }
}
