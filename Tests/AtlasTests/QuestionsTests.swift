import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsAtlas

/// The questions of this package as data.
@Suite
struct QuestionsTests {
  private static func lines(_ name: String) throws -> [Data] {
    try Data(contentsOf: QuestionFile.folder.appendingPathComponent(name)).split(separator: 0x0A).map {
      Data($0)
    }
  }

  @Test("the id of each behaviour question is the hash of its experiment")
  func behaviourIDs() throws {
    for line in try QuestionsTests.lines("behaviour.jsonl") {
      let json = try JSONReader.value(of: line)
      let text = String(decoding: line, as: UTF8.self)
      // The experiment as it is written, since the order of keys in a dictionary belongs to it.
      let setup = try #require(text.range(of: ", \"setup\": "))
      let call = try #require(text.range(of: ", \"call\": ", range: setup.upperBound..<text.endIndex))
      let end = try #require(text.range(of: ", \"expect\": ", range: call.upperBound..<text.endIndex))
      let api = try #require(json["api"]?.text)
      let experiment =
        "[\"\(api)\", \(text[setup.upperBound..<call.lowerBound]), \(text[call.upperBound..<end.lowerBound])]"
      let rewritten = try JSONReader.value(of: experiment.utf8)
      #expect(rewritten.elements?[1].description == json["setup"]?.description)
      #expect(rewritten.elements?[2].description == json["call"]?.description)
      expectID(json, prefix: api, experiment)
    }
  }

  @Test("the id of each text question is the hash of its options and bytes")
  func textIDs() throws {
    for line in try QuestionsTests.lines("text.jsonl") {
      let json = try JSONReader.value(of: line)
      let input = try #require(json["input_base64"]?.text)
      let options = try #require(json["options"])
      expectID(json, prefix: "text", "[\"text\", \(options), \"\(input)\"]")
    }
  }

  private func expectID(_ json: JSON, prefix: String, _ experiment: String) {
    let digest = SHA256.hexadecimalDigest(experiment.utf8).prefix(8)
    let id = json["id"]?.text ?? "a question without id"
    let parts = id.split(separator: "/")
    #expect(parts.count == 3 && parts.first.map(String.init) == prefix, "\(id)")
    #expect(parts.last.map(String.init) == String(digest), "\(id): the hash of the experiment is \(digest)")
  }

  @Test("every question has a title, a basis and a source, and a choice has a note")
  func fields() throws {
    for path in QuestionFile.own {
      let file = try QuestionFile(path: path)
      #expect(file.damage == [])
      for question in file.questions {
        #expect(!question.title.isEmpty && question.title.count <= 200, "\(question.id)")
        #expect(question.basis != nil && !question.source.isEmpty, "\(question.id)")
        #expect(question.basis != .choice || !question.note.isEmpty, "\(question.id)")
        #expect(question.basis != .apple || !question.id.hasPrefix("classic/"), "\(question.id)")
      }
    }
  }

  @Test("no id is used twice, and none that is retired is used again")
  func uniqueness() throws {
    let questions = try OwnFiles.questions()
    let ids = Set(questions.map(\.id))
    #expect(ids.count == questions.count)
    #expect(ids.count > 2600)
    let retired = try QuestionsTests.lines("retired.jsonl").map { try JSONReader.value(of: $0) }
    let names = retired.compactMap { $0["id"]?.text }
    #expect(Set(names).count == retired.count)
    #expect(Set(names).isDisjoint(with: ids))
    for line in retired {
      let successor = line["successor"]?.text
      #expect(successor.map { ids.contains($0) } ?? true, "\(line)")
    }
  }

  @Test(
    "the questions hold every shared experiment, with the outcome wanted there",
    .enabled(if: SharedFiles.areExpected, Comment(rawValue: SharedFiles.absence)))
  func sharedVectors() throws {
    let questions = try OwnFiles.questions()
    var expectations: [String: String] = [:]
    for question in questions {
      expectations[QuestionsTests.key(question.experiment)] = question.expected.description
    }
    for name in ["behaviour", "text-plist"] {
      let lines = try Data(contentsOf: SharedFiles.url("corpus/\(name)/vectors.jsonl")).split(separator: 0x0A)
      for line in lines {
        let json = try JSONReader.value(of: line)
        let experiment: Question.Experiment =
          if let base64 = json["input_base64"]?.text {
            .text(base64: base64)
          } else {
            .behaviour(
              api: json["api"]?.text ?? "", setup: json["setup"]?.elements ?? [], call: json["call"] ?? .null)
          }
        let name = json["id"]?.text ?? json["name"]?.text ?? "?"
        #expect(expectations[QuestionsTests.key(experiment)] == json["expect"]?.description, "\(name)")
      }
    }
  }

  private static func key(_ experiment: Question.Experiment) -> String {
    switch experiment {
    case .behaviour(let api, let setup, let call): "\(api) \(JSON.array(setup)) \(call)"
    case .text(let base64): base64
    }
  }

  @Test("the id that took the place of a retired one is known")
  func successors() throws {
    #expect(QuestionFile.successor(of: "classic/arguments/0ed7581e") == "classic/arguments/ae63de83")
    #expect(QuestionFile.successor(of: "classic/none/00000000") == nil)
  }
}
