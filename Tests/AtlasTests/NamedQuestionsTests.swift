import Foundation
import Testing

@testable import DefaultsAtlas

/// The ids of questions that the guides and the doc comments name.
@Suite
struct NamedQuestionsTests {
  private static let root = QuestionFile.folder.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The files in which an id is a promise to a reader: guides, and the sources of what the package offers.
  private static func files() throws -> [URL] {
    let folders = ["README.md", "Sources", "Compat"].map { root.appendingPathComponent($0) }
    return folders.flatMap { folder -> [URL] in
      if folder.pathExtension == "md" { return [folder] }
      let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
      return paths.map { folder.appendingPathComponent($0) }.filter {
        ["md", "swift"].contains($0.pathExtension)
      }
    }
  }

  @Test("each id that a guide or a comment names is that of a question")
  func ids() throws {
    let known = Set(try OwnFiles.questions().map(\.id))
    var pages: Set<String> = []
    for file in try NamedQuestionsTests.files() {
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      for match in text.matches(of: /(?:classic|modern|text)\/[A-Za-z0-9-]+\/[0-9a-f]{8}/) {
        let id = String(match.0)
        #expect(known.contains(id), "\(file.lastPathComponent): \(id)")
        pages.insert(file.lastPathComponent)
      }
    }
    // What a reader follows from the other classes, and the classes themselves.
    #expect(
      pages.isSuperset(of: [
        "Porting.md", "FromFoundation.md", "ComparedWithFoundation.md", "NSUserDefaults.swift",
        "UserDefaults.swift",
      ]))
  }
}
