import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// What is saved beside a model of it: the changes since the last save, over whatever others wrote meanwhile.
struct UnsavedKeysTests {
  private let home: TemporaryHome
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
  }

  /// The model's changes.
  private struct Pending {
    var replacement: [PropertyListKey: PropertyList]?
    var changes: [PropertyListKey: PropertyList?] = [:]

    func applied(to values: [PropertyListKey: PropertyList]) -> [PropertyListKey: PropertyList] {
      (replacement ?? values).merging(changes.compactMapValues { $0 }) { $1 }
        .filter { changes[$0.key] != .some(nil) }
    }
  }

  @Test(
    "whatever is set, removed and replaced, saved or not saved, and changed by others between, nothing is lost",
    arguments: 0..<12)
  func model(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let failing = Lock<String?>(nil)
    let faulty = FaultyFileSystem { operation in
      failing.withLock { $0 } == operation.name ? SystemError(code: 5) : nil
    }
    let ours = UserDatabase(directory: home.path, fileSystem: faulty)
    let theirs = UserDatabase(directory: home.path)
    let domain = PersistentDomain(name: app)
    var way = UserDatabase.CheckedPath()
    _ = try domain.load(from: ours, along: &way)
    var (memory, pending): ([PropertyListKey: PropertyList], Pending) = ([:], Pending())

    for step in 0..<250 {
      let key = PropertyListKey("key \(Int.random(in: 0..<8, using: &random))")
      let value = PropertyList.string("\(Int.random(in: 0..<4, using: &random)) of \(step / 5)")
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<45:
        #expect(domain.set(value, for: key) == (memory[key] != value))
        if memory[key] != value { (memory[key], pending.changes[key]) = (value, .some(value)) }
      case 45..<60:
        #expect(domain.remove(key) == (memory[key] != nil))
        if memory.removeValue(forKey: key) != nil { pending.changes[key] = .some(nil) }
      case 60..<63:
        memory = [key: value]
        pending = Pending(replacement: memory)
        domain.replaceAll(with: memory)
      case 63..<73:
        var changes = DomainChanges()
        changes.set(value, for: key)
        _ = try theirs.commit(changes, to: app, onDamage: .refuse)
      case 73..<83:
        let disk = try theirs.load(app).values
        _ = try domain.refresh(from: ours)
        memory = pending.applied(to: disk)
      case 83..<91:
        let disk = try theirs.load(app).values
        failing.withLock { $0 = ["open creating", "rename", "synchronize"].randomElement(using: &random) }
        defer { failing.withLock { $0 = nil } }
        do throws(DatabaseError) {
          if try domain.save(to: ours, deadline: .now + UserDatabase.patience) != nil { pending = Pending() }
        } catch {
          // All of it is still to be saved, whether it came to lie in the file or not.
          let kept = try theirs.load(app).values
          #expect(kept == disk || kept == pending.applied(to: disk))
        }
      default:
        let disk = try theirs.load(app).values
        _ = try domain.save(to: ours, deadline: .now + UserDatabase.patience)
        #expect(try theirs.load(app).values == pending.applied(to: disk))
        pending = Pending()
        #expect(!domain.hasUnsavedChanges)
      }
      #expect(domain.values == memory)
    }
  }

  @Test("a key that is set again is noted once in a generation, and again in the next")
  func once() {
    let table = LookupTable()
    var unsaved = UnsavedKeys()
    #expect(table.set("1", for: "k", noting: &unsaved))
    #expect(unsaved.keys == ["k"])
    var again = UnsavedKeys()
    #expect(table.set("2", for: "k", noting: &again))
    #expect(again.isEmpty)
    table.beginGeneration()
    // The value that it has already changes nothing.
    #expect(!table.set("2", for: "k", noting: &again))
    #expect(again.isEmpty)
    #expect(table.set("3", for: "k", noting: &again))
    #expect(again.keys == ["k"])
  }
}
