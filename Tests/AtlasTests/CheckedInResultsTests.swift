import Foundation
import OpenStepPropertyList
import Testing

@testable import DefaultsAtlas

/// The results that come with the package.
@Suite
struct CheckedInResultsTests {
  static let path = QuestionFile.folder.deletingLastPathComponent()
    .appendingPathComponent("Results/linux.json").path

  @Test("the checked-in results answer today's questions, with a date, by every implementation")
  func wellFormed() throws {
    let json = try OwnFiles.results()
    let questions = try OwnFiles.questions()
    #expect(json["questions"]?.description == String(questions.count))
    let runs = try #require(json["runs"]?.elements)
    let names = runs.compactMap { $0["name"]?.text }
    #expect(
      names.sorted() == [
        "Foundation, UserDefaults", "GNUstep base", "OpenStepDefaults, GNUstepUserDefaults",
        "OpenStepDefaults, NSUserDefaults", "OpenStepDefaults, UserDefaults", "OpenStepDefaults, typed keys",
        "openstep_plist",
      ])
    for run in runs { #expect(run["date"]?.text?.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil, "\(run)") }

    let results = try Results(path: CheckedInResultsTests.path)
    #expect(Set(results.answers.keys) == Set(questions.map(\.id)), "run Compat/Conformance/Results/update")
    for question in questions {
      for (run, answer) in results.answers[question.id] ?? [:] {
        let outcome = try #require(answer["outcome"])
        let verdict = Answer.Verdict(on: outcome, of: question)
        #expect(answer["verdict"]?.text == verdict.rawValue, "\(question.id), \(run)")
      }
    }
  }

  /// The names of the package's own classes in the results.
  static let ownRuns = ["classic-linux", "gnustep-compat-linux", "modern-linux", "typed-linux"]

  /// Records where other results of the package's own classes are not the checked-in ones.
  static func expectSame(_ new: Results) throws {
    let old = try Results(path: path)
    for (id, answers) in old.answers {
      for run in ownRuns {
        let (wanted, found) = (answers[run]?["outcome"], new.answers[id]?[run]?["outcome"])
        let isSame = wanted.map { wanted in found.map { $0.isSame(as: wanted) } ?? false } ?? (found == nil)
        if isSame { continue }
        Issue.record(
          "\(id): \(run) answers \(found?.description ?? "nothing"), and not \(wanted?.description ?? "nothing") as in the checked-in results; if that is right, run Compat/Conformance/Results/update"
        )
      }
    }
  }
}
