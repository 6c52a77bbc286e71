import OpenStepPropertyList
import TestSupport
import Testing

/// Comparing and merging property lists that have many values at a great depth.
struct DeepComparisonTests {
  private func deep(_ value: PropertyList, depth: Int, count: Int = 2000) -> PropertyList {
    var list = PropertyList.dictionary(
      Dictionary(uniqueKeysWithValues: (0..<count).map { (PropertyListKey("k\($0)"), value) }))
    for _ in 0..<depth { list = ["a": list] }
    return list
  }

  @Test(
    "the time of a merge does not grow with the depth at which the values stand", .timeLimit(.minutes(20)))
  func merge() throws {
    let ratio = growth(from: 90, to: 900, bound: 4) { depth in
      let sides = (0..<3).map { deep(.string("\($0)"), depth: depth) }
      let start = threadTime()
      let merge = PropertyListMerge(base: sides[0], ours: sides[1], theirs: sides[2])
      let time = threadTime() - start
      #expect(merge.conflicts.count == 2000 && merge.result == sides[1] && merge.alternative == sides[2])
      return time
    }
    #expect(ratio < 4, "\(ratio)")
  }

  @Test("nor does that of a comparison", .timeLimit(.minutes(20)))
  func difference() throws {
    let ratio = growth(from: 90, to: 900, bound: 4) { depth in
      let (old, new) = (deep("0", depth: depth), deep("1", depth: depth))
      let start = threadTime()
      var (count, steps) = (0, 0)
      PropertyListDifference.forEach(between: old, and: new) { difference in
        count += 1
        steps = difference.path.count
      }
      let time = threadTime() - start
      #expect(count == 2000 && steps == depth + 1)
      return time
    }
    #expect(ratio < 4, "\(ratio)")
  }

  @Test("each conflict has its own path, in the order of the keys")
  func paths() {
    let base: PropertyList = ["a": ["b": "0", "c": ["d": "0"], "e": "0"], "f": "0"]
    let ours: PropertyList = ["a": ["b": "1", "c": ["d": "1"], "e": "1"], "f": "1"]
    let theirs: PropertyList = ["a": ["b": "2", "c": ["d": "2"], "e": "0"], "f": "2"]
    let merge = PropertyListMerge(base: base, ours: ours, theirs: theirs)
    #expect(merge.conflicts.map { PropertyListPath($0.path).description } == [".a.b", ".a.c.d", ".f"])
    #expect(merge.result == ours)
    #expect(merge.alternative == ["a": ["b": "2", "c": ["d": "2"], "e": "1"], "f": "2"])
    let whole = PropertyListMerge(base: "0", ours: "1", theirs: "2")
    #expect(whole.conflicts.map(\.path) == [[]])
    #expect(PropertyListMerge(base: base, ours: ours, theirs: base).result == ours)
    #expect(PropertyListMerge(base: base, ours: base, theirs: theirs).result == theirs)
    #expect(PropertyListMerge(base: nil, ours: ours, theirs: ours).conflicts.isEmpty)
  }
}
