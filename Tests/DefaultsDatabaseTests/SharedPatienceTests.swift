import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// How long the changes of one command wait.
struct SharedPatienceTests {
  @Test("waits that succeed use up the two seconds too, down to a tenth; none waits behind one in vain")
  func waits() {
    let patience = SharedPatience()
    let start = MonotonicTime.now
    func isLeft(_ seconds: Double, at time: Double) -> Bool {
      abs(patience.left(at: start + time) - seconds) < 0.001
    }
    #expect(isLeft(2, at: 0))
    patience.noteWait(since: start, until: start + 1.5)
    #expect(isLeft(0.5, at: 1.5))
    #expect(isLeft(0.5, at: 2))
    patience.noteWait(since: start + 2, until: start + 2.5)
    #expect(isLeft(0.1, at: 2.5))
    patience.noteWait(since: start + 3, until: start + 3.1)
    #expect(isLeft(0.1, at: 3.1))
    patience.noteRefusal(at: start + 4)
    #expect(isLeft(0, at: 4))
    #expect(isLeft(0, at: 5.9))
    // Nothing was waited for two seconds.
    #expect(isLeft(2, at: 6.1))
    patience.noteWait(since: start + 10, until: start + 10.5)
    #expect(isLeft(1.5, at: 10.6))
    #expect(isLeft(2, at: 12.6))
  }

  @Test("the history's lock is waited for within the same patience")
  func others() throws {
    // However long the machine stands still, nothing is forgotten.
    let patience = SharedPatience(memory: .infinity)
    let database = UserDatabase(directory: "/nowhere", patience: patience)
    let start = MonotonicTime.now
    try database.waitingForOthers { (deadline) throws(SystemError) in #expect(deadline >= start + 2) }
    #expect(patience.left() < 2)
    #expect(throws: SystemError.tryAgain) {
      try database.waitingForOthers { _ throws(SystemError) in throw .tryAgain }
    }
    #expect(patience.isOver)
    try database.waitingForOthers { (deadline) throws(SystemError) in #expect(deadline <= .now) }
  }

  @Test("with nothing left a lock that is free is taken, and one that is held is refused")
  func nothingLeft() async throws {
    let home = try TemporaryHome()
    let patience = SharedPatience(memory: .infinity)
    let database = UserDatabase(directory: home.path, patience: patience)
    let app = try DomainName("App")
    func set(_ value: String) throws {
      var changes = DomainChanges()
      changes.set(.string(value), for: "k")
      _ = try database.commit(changes, to: app, onDamage: .refuse)
    }
    patience.noteRefusal()
    try set("1")
    let holder = try await LockHolder(of: UserDatabase(directory: home.path))
    patience.noteRefusal()
    let error = #expect(throws: DatabaseError.self) { try set("2") }
    if case .locked = error?.kind {} else { Issue.record("\(error as Any)") }
    holder.release()
    patience.noteRefusal()
    try set("3")
    #expect(try database.load(app).values == ["k": "3"])
  }
}
