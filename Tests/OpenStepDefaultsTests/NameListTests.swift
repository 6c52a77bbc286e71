import OpenStepPropertyList
import TestSupport
import Testing

@testable import OpenStepDefaults

/// The names of a search list, beside an array to which the same is done.
struct NameListTests {
  @Test(
    "names are added behind others and removed wherever they occur, compared by their bytes",
    arguments: [5, 100])
  func model(_ count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    // Some names differ in their bytes only, and some occur more than once.
    var model = (0..<count).map { NameListTests.name($0 * 2 / 3) }
    var list = NameList(model)
    func isName(_ name: String) -> (String) -> Bool {
      { $0.utf8.elementsEqual(name.utf8) }
    }
    for _ in 0..<(20 * count) {
      let name = NameListTests.name(Int.random(in: 0..<count, using: &generator))
      let other = NameListTests.name(Int.random(in: 0..<count, using: &generator))
      #expect(list.contains(name) == model.contains(where: isName(name)))
      list.remove(name)
      model.removeAll(where: isName(name))
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: break
      case 1:
        list.append(name)
        model.append(name)
      default:
        list.insert(name, behind: other)
        model.insert(name, at: model.firstIndex(where: isName(other)).map { $0 + 1 } ?? 0)
      }
      #expect(list.texts.map { Array($0.utf8) } == model.map { Array($0.utf8) })
      #expect(list.count == model.count)
    }
    var visited: [String] = []
    list.visit { name in
      visited.append(name)
      return visited.count < 3
    }
    #expect(visited == Array(model.prefix(3)))
  }

  private static func name(_ number: Int) -> String {
    number % 3 == 0 ? "e\u{301}\(number / 3)" : number % 3 == 1 ? "\u{E9}\(number / 3)" : "n\(number)"
  }
}
