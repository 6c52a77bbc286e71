import Foundation
public import OpenStepPropertyList

/// GNUstep's own property list reader, in a small program that is compiled for the tests.
public final class GNUstepReader {
  private let program: GNUstepProgram

  public init() throws {
    program = try GNUstepProgram("reader", named: "gnustep-reader")
  }

  /// Reads texts as GNUstep reads files; nil for one that it refuses.
  public func read(_ texts: [[UInt8]]) throws -> [PropertyList?] {
    var paths: [String] = []
    for (index, text) in texts.enumerated() {
      let file = program.directory.appendingPathComponent("\(index).plist")
      try Data(text).write(to: file)
      paths.append(file.path)
    }
    let lines = try program.run(paths).split(separator: UInt8(ascii: "\n"))
    guard lines.count == texts.count else {
      throw GNUstepProgram.Failure(description: "\(lines.count) lines of output")
    }
    return try lines.map { line in
      line.elementsEqual("error".utf8) ? nil : try PropertyList(tagged: JSONValue(parsing: line))
    }
  }
}
