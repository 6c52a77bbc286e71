import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// All values of a domain, and all objects of a search, while other threads change the domain.
struct SnapshotTests {
  private final class Order: SearchOrder {
    let domains: [PersistentDomain]
    var count: Int { domains.count }

    init(_ domains: [PersistentDomain]) { self.domains = domains }

    func visit(_ body: (SearchPath.Domain) -> Bool) {
      for domain in domains where !body(.persistent(domain)) { return }
    }
  }

  private final class Made {}

  private let home: TemporaryHome
  private let behind: PersistentDomain

  init() throws {
    home = try TemporaryHome()
    behind = PersistentDomains(database: nil).domain(try DomainName("Behind"))
  }

  /// A domain whose values come from a file, and are not parsed yet.
  private func domain(_ values: [PropertyListKey: PropertyList]) throws -> PersistentDomain {
    try home.write(PropertyList.dictionary(values).text(), to: "App.plist")
    return PersistentDomains(database: UserDatabase(directory: home.path)).domain(try DomainName("App"))
  }

  /// Runs a body on another thread and waits for it; false if that waits for this one.
  private func runElsewhere(_ body: @escaping @Sendable () -> Void) -> Bool {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      isDone.signal()
    }
    return isDone.wait(timeout: .now() + 30) == .success
  }

  @Test(
    "while the objects of all values are made, other threads change the domain, and what they change is there",
    arguments: [false, true], [2, 1000])
  func objects(isParsed: Bool, count: Int) throws {
    var values: [PropertyListKey: PropertyList] = ["changed": ["old"], "gone": ["old"]]
    for number in 2..<count { values[PropertyListKey("key \(number)")] = [.string("\(number)")] }
    let domain = try domain(values)
    if isParsed { for key in values.keys { #expect(domain.value(for: key) != nil) } }
    _ = behind.set(["behind"], for: "gone")
    let path = SearchPath(Order([domain, behind]))
    var isChanged = false
    let objects = path.objects(to: .foundation) { value in
      if value != ["behind"], !isChanged {
        isChanged = true
        let isDone = runElsewhere {
          _ = domain.set("new", for: "changed")
          _ = domain.remove("gone")
          _ = domain.set("new", for: "added")
        }
        #expect(isDone)
      }
      guard case .array(let elements) = value else { return value.scalarText ?? "" }
      return elements.compactMap(\.scalarText).joined()
    }
    #expect(isChanged && objects.count == count + 1)
    #expect(objects["changed"] as? String == "new" && objects["added"] as? String == "new")
    #expect(objects["gone"] as? String == "behind")
    for number in 2..<count { #expect(objects["key \(number)"] as? String == "\(number)") }
  }

  // What was read from the file meanwhile did not count, and x was old beside the newest y.
  @Test("others' changes that are read meanwhile are there as a whole, and a later change with them")
  func othersChanges() throws {
    let domain = try domain(["x": ["0"], "y": ["0"], "z": ["0"]])
    let (path, home) = (SearchPath(Order([domain])), home)
    var count = 0
    let objects = path.objects(to: .foundation) { value in
      count += 1
      if count == 3 {
        // All three have been read.
        let isDone = runElsewhere {
          #expect(throws: Never.self) {
            try home.write("{ x = (1); y = (1); z = (1); }", to: "App.plist")
            _ = try domain.refresh(from: UserDatabase(directory: home.path))
          }
          _ = domain.set(["2"], for: "y")
        }
        #expect(isDone)
      }
      guard case .array(let elements) = value else { return value.scalarText ?? "" }
      return elements.compactMap(\.scalarText).joined()
    }
    #expect(objects as? [String: String] == ["x": "1", "y": "2", "z": "1"])
  }

  // It began again for ever.
  @Test("all values and objects are read although another thread replaces them all the time")
  func replacedAllTheTime() throws {
    let domain = try domain(["a": ["0"], "b": ["0"]])
    let path = SearchPath(Order([domain]))
    var count = 0
    let objects = path.objects(to: .foundation) { value in
      count += 1
      if count < 1000 {
        let number = PropertyList.array([.string("\(count)")])
        #expect(runElsewhere { domain.replaceAll(with: ["a": number, "b": number]) })
      }
      guard case .array(let elements) = value else { return value.scalarText ?? "" }
      return elements.compactMap(\.scalarText).joined()
    }
    #expect(count < 100)
    #expect(objects.count == 2 && objects["a"] as? String == objects["b"] as? String)
  }

  @Test("what is to be saved is the same, whether it is read in parts or at once", arguments: [false, true])
  func beginning(isReplaced: Bool) throws {
    let domains = try (0..<2).map { _ in try domain(["kept": "k", "set": "old", "removed": "x"]) }
    for domain in domains {
      if isReplaced { domain.replaceAll(with: ["set": "older", "other": ["o"]]) }
      #expect(domain.set("new", for: "set"))
      if !isReplaced { #expect(domain.remove("removed")) }
    }
    let inParts = domains[0].beginCommit()
    let atOnce = try #require(domains[1].beginSaveAtOnce())
    for changes in [inParts.changes, atOnce.changes] {
      #expect(changes.replacesAll == isReplaced)
      let applied = changes.applied(to: ["kept": "k", "set": "old", "removed": "x"])
      #expect(applied == (isReplaced ? ["set": "new", "other": ["o"]] : ["kept": "k", "set": "new"]))
    }
    #expect(atOnce.keys.count == inParts.keys.count && domains[1].beginSaveAtOnce() != nil)
    #expect(try domain(["a": "b"]).beginSaveAtOnce() == nil)
  }

  @Test("a domain that is never saved does not keep the names of all keys that it has had")
  func neverSaved() {
    for number in 0..<10_000 {
      let key = PropertyListKey("key \(number)")
      _ = behind.set("x", for: key)
      if number % 2 == 0 { _ = behind.remove(key) }
    }
    #expect(behind.count == 5000)
    #expect(behind.state.withLock { $0.allUnsaved.keys.count } <= 1024)
  }

  @Test("the object of a container is made once, by whichever call needs it first")
  func cachedObjects() throws {
    let domain = try domain(["a": ["x"], "b": ["y"], "number": "1"])
    for key in ["a", "b"] as [PropertyListKey] { #expect(domain.value(for: key) != nil) }
    let path = SearchPath(Order([domain]))
    // The first lookup makes the list of domains, and keeps no object.
    #expect(path.value(for: "a") != nil)
    let first = try #require(path.object(for: "a", to: .classic) { _ in Made() } as? Made)
    let all = path.objects(to: .classic) { _ in Made() }
    #expect(all["a"] as? Made === first && all["number"] is Made)
    let second = try #require(all["b"] as? Made)
    #expect(path.object(for: "b", to: .classic) { _ in Made() } as? Made === second)
    #expect(path.objects(to: .classic) { _ in Made() }["b"] as? Made === second)
  }

  @Test("while the values of a few keys are parsed, other threads set keys")
  func fewValues() throws {
    let large = PropertyList.array((0..<100_000).map { .string("\($0)") })
    // A thread that the system does not let run seems to wait, too; most often it is let run.
    for _ in 0..<10 {
      let domain = try domain(["large": large])
      let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let longest = Lock(Duration.zero)
      let isDone = Lock(false)
      Thread.detachNewThread {
        var number = 0
        while !isDone.withLock({ $0 }) {
          number += 1
          let time = ContinuousClock().measure { _ = domain.set(.string("\(number)"), for: "own") }
          longest.withLock { $0 = max($0, time) }
          if number == 1 { hasBegun.signal() }
        }
        hasEnded.signal()
      }
      hasBegun.wait()
      let whole = ContinuousClock().measure { #expect(domain.values["large"] == large) }
      isDone.withLock { $0 = true }
      hasEnded.wait()
      if longest.withLock({ $0 }) < whole / 4 { return }
    }
    Issue.record("another thread waited for most of the time")
  }
}
