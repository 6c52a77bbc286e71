import OpenStepPropertyList
import TestSupport
import Testing

/// Values as deep as a file may hold them, on a thread with a small stack.
struct SmallStackTests {
  @Test(
    "the deepest value is read, compared, hashed, written, described and let go of", arguments: [false, true])
  func deepest(inDictionaries: Bool) async throws {
    let depth = PropertyList.maximumDepth
    let (open, close) = inDictionaries ? ("{k=", ";}") : ("(", ")")
    let text = String(repeating: open, count: depth) + "x" + String(repeating: close, count: depth)
    let isRead = await onThread {
      guard let value = try? PropertyList(parsing: Array(text.utf8)),
        let again = (try? value.text()).flatMap({ try? PropertyList(parsing: Array($0.utf8)) })
      else { return false }
      // The deepest parts of both are let go of here.
      return "\(value)".contains("x") && value == again && value.hashValue == again.hashValue
        && value == nested(depth, inDictionaries: inDictionaries)
        && value != nested(depth - 1, inDictionaries: inDictionaries)
    }
    #expect(isRead)
  }

  @Test("containers are equal if all that is in them is, in any order of the keys, at any depth")
  func equality() {
    let left: PropertyList = ["a": [["b": "1", "c": ["2"]], "3"], "d": [:]]
    let right: PropertyList = ["d": [:], "a": [["c": ["2"], "b": "1"], "3"]]
    #expect(left == right && left.hashValue == right.hashValue)
    let others: [PropertyList] = [
      ["a": [["b": "1", "c": ["4"]], "3"], "d": [:]], ["a": [["b": "1", "c": "2"], "3"], "d": [:]],
      ["a": [["b": "1", "e": ["2"]], "3"], "d": [:]], ["a": [["b": "1", "c": ["2"]]], "d": [:]],
      ["a": [["b": "1", "c": ["2"]], "3"], "d": []], [], [:], "a",
    ]
    for other in others { #expect(left != other && other != left) }
    #expect(Set(others + [left, right]).count == others.count + 1)
    let nan: PropertyList = [.real(.nan), .dictionary(["k": [.float(.nan)]])]
    #expect(nan == [.real(.nan), .dictionary(["k": [.float(.nan)]])])
  }
}
