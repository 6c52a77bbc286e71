import Foundation

@testable import DefaultsAtlas

/// The package's own questions and checked-in results, read once for all tests: a build without optimization takes seconds
/// for it.
enum OwnFiles {
  private static let readQuestions = Result {
    try QuestionFile.own.flatMap { try QuestionFile(path: $0).questions }
  }
  private static let readResults = Result {
    try JSONReader.value(of: try Data(contentsOf: URL(fileURLWithPath: CheckedInResultsTests.path)))
  }

  static func questions() throws -> [Question] { try readQuestions.get() }

  static func results() throws -> JSON { try readResults.get() }
}
