import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// The shared vectors of the text format: every input, and what a reader should make of it.
///
/// `TEXT_PLIST_VECTORS` names another file of vectors to run.
@Suite
struct TextPlistVectors {
  private static let copy = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures/text-plist-vectors.jsonl")

  @Test("every vector gives the expected value or error")
  func vectors() throws {
    let path = ProcessInfo.processInfo.environment["TEXT_PLIST_VECTORS"]
    let file = path.map { URL(fileURLWithPath: $0) } ?? TextPlistVectors.copy
    let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
    var passed = 0
    for (index, line) in lines.enumerated() {
      var name = "line \(index + 1)"
      do {
        let json = try JSONValue(parsing: line)
        name = json["name"]?.string ?? name
        if let failure = try failure(of: json) {
          Issue.record("\(name): \(failure)")
        } else {
          passed += 1
        }
      } catch {
        Issue.record("\(name): the vector cannot be run: \(error)")
      }
    }
    print("TextPlistVectors: \(passed) of \(lines.count)")
    #expect(passed == lines.count && passed > 0)
  }

  /// What went wrong with a vector, or nil.
  private func failure(of vector: JSONValue) throws -> String? {
    let text = try #require(vector["input_base64"]?.string)
    let input = try #require(Data(base64Encoded: text))
    let expectation = try #require(vector["expect"])
    let actual: Result<PropertyList, PropertyListError>
    do throws(PropertyListError) {
      actual = .success(try PropertyList(parsing: Array(input)))
    } catch {
      actual = .failure(error)
    }
    let expected: PropertyList? =
      if let value = expectation["value"] {
        try PropertyList(tagged: value)
      } else if let nested = expectation["nested"] {
        try PropertyList(nested: nested)
      } else if case .boolean(true) = expectation["error"] {
        nil
      } else {
        throw PropertyList.NotationError(description: "unknown expectation")
      }
    switch (expected, actual) {
    case (nil, .failure(let error)):
      // An error must say where, but for a text that has no place at all.
      return error.line > 0 && error.column > 0 || input.isEmpty ? nil : "an error without a place: \(error)"
    case (let expected?, .success(let value)):
      return value == expected ? nil : "expected \(brief(expected)), got \(brief(value))"
    case (nil, .success(let value)):
      return "expected an error, got \(brief(value))"
    case (let expected?, .failure(let error)):
      return "expected \(brief(expected)), got the error \(error)"
    }
  }

  private func brief(_ value: PropertyList) -> String {
    let text = value.taggedText
    return text.utf8.count <= 300 ? text : "\(text.prefix(300))… (\(text.utf8.count) bytes)"
  }

  @Test(
    "the copy of the vectors is the shared file",
    .enabled(if: SharedFiles.areExpected, Comment(rawValue: SharedFiles.absence)))
  func sameVectors() throws {
    let copy = try Data(contentsOf: TextPlistVectors.copy)
    #expect(try Data(contentsOf: SharedFiles.url("corpus/text-plist/vectors.jsonl")) == copy)
  }
}
