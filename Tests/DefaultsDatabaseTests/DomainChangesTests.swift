import DefaultsDatabase
import OpenStepPropertyList
import Testing

@Suite struct DomainChangesTests {
  private let disk: [PropertyListKey: PropertyList] = ["a": "1", "b": "2"]

  @Test("a new record changes nothing") func empty() {
    #expect(DomainChanges().isEmpty)
    #expect(DomainChanges().applied(to: disk) == disk)
  }

  @Test("set and removed keys are merged over what others wrote") func merge() {
    var changes = DomainChanges()
    changes.set("3", for: "c")
    changes.remove("a")
    #expect(!changes.isEmpty)
    #expect(changes.applied(to: disk) == ["b": "2", "c": "3"])
  }

  @Test("the last change of a key counts") func last() {
    var changes = DomainChanges()
    changes.remove("a")
    changes.set("x", for: "a")
    changes.set("y", for: "b")
    changes.remove("b")
    #expect(changes.applied(to: disk) == ["a": "x"])
  }

  @Test("a replaced domain loses the keys of others, also when it is empty") func replacement() {
    var changes = DomainChanges()
    changes.set("gone", for: "z")
    changes.replaceAll(with: [:])
    #expect(!changes.isEmpty)
    #expect(changes.applied(to: disk) == [:])
    changes.set("3", for: "c")
    #expect(changes.applied(to: disk) == ["c": "3"])
  }

  @Test("later changes lie on top of those that a failed flush puts back") func putBack() {
    var failed = DomainChanges()
    failed.set("old", for: "a")
    failed.set("old", for: "c")
    var newer = DomainChanges()
    newer.remove("a")
    failed.merge(newer)
    #expect(failed.applied(to: disk) == ["b": "2", "c": "old"])
    var replacement = DomainChanges()
    replacement.replaceAll(with: ["n": "1"])
    failed.merge(replacement)
    #expect(failed.applied(to: disk) == ["n": "1"])
    failed.merge(newer)
    #expect(failed.applied(to: disk) == ["n": "1"])
  }

  @Test("changes after a replacement are kept when it is put back under newer ones") func replacedThenMerged()
  {
    var failed = DomainChanges()
    failed.replaceAll(with: ["a": "new"])
    var newer = DomainChanges()
    newer.set("2", for: "n")
    failed.merge(newer)
    #expect(failed.applied(to: disk) == ["a": "new", "n": "2"])
  }
}
