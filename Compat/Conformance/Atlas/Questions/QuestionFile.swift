import Foundation
import OpenStepPropertyList

/// A file of questions, one per line.
struct QuestionFile {
  var questions: [Question] = []
  /// The lines that are not a question, with the reasons.
  var damage: [String] = []

  /// The folder with this package's questions, where this program was built.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Questions")

  /// This package's questions: behaviour, then text.
  static let own = ["behaviour.jsonl", "text.jsonl"].map { folder.appendingPathComponent($0).path }

  init(path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    for (index, line) in data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
      do {
        questions.append(try Question(try JSONReader.value(of: line)))
      } catch {
        damage.append("\(path):\(index + 1): \(error)")
      }
    }
  }

  /// The id that took the place of a retired one of this package.
  static func successor(of id: String) -> String? {
    let file = folder.appendingPathComponent("retired.jsonl")
    let lines = (try? Data(contentsOf: file))?.split(separator: 0x0A) ?? []
    for line in lines {
      guard let json = try? JSONReader.value(of: line), json["id"]?.text == id else { continue }
      return json["successor"]?.text
    }
    return nil
  }
}
