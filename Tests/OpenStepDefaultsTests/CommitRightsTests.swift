import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@testable import OpenStepDefaults

/// The body of a commit that the administrator's program makes in another user's directory.
@Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
struct CommitRightsTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
    #expect(chmod(home.path, 0o755) == 0)
    let files = FileManager.default
    for name in ["Theirs", "Own"] {
      try files.createDirectory(atPath: home.path(name), withIntermediateDirectories: false)
    }
    #expect(chown(home.path("Theirs"), 65534, 65534) == 0)
    #expect(chmod(home.path("Own"), 0o700) == 0)
    try home.write("{ Count = 41; }", to: "Own/Program.plist")
  }

  /// The user whose rights to files the calling thread has.
  private static func user() -> String? {
    let status = try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("Uid:") }
    return line?.split(separator: "\t").last.map(String.init)
  }

  @Test("it reads the program's own files, and so do the objects and threads that begin there")
  func ownFiles() throws {
    let theirs = NSUserDefaults(directory: home.path("Theirs"), applicationName: "App")
    var own: NSUserDefaults?
    let inThread = Lock<String?>(nil)
    try theirs.commit { draft in
      #expect(Self.user() == "0")
      let object = NSUserDefaults(directory: home.path("Own"), applicationName: "Program")
      #expect(object.integerForKey("Count") == 41)
      own = object
      // The user's own files are reached with its rights again.
      let other = NSUserDefaults(directory: home.path("Theirs"), applicationName: "Other")
      #expect(other.objectForKey("k") == nil)
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        inThread.withLock { $0 = Self.user() }
        isDone.signal()
      }
      isDone.wait()
      draft.setObject("1", forKey: "X")
    }
    #expect(inThread.withLock { $0 } == "0")
    let object = try #require(own)
    object.setInteger(object.integerForKey("Count") + 1, forKey: "Count")
    #expect(object.synchronize())
    #expect(try home.text(of: "Own/Program.plist") == "{ Count = 42; }")
    for name in try home.names(in: "Theirs") {
      let attributes = try FileManager.default.attributesOfItem(atPath: home.path("Theirs/\(name)"))
      #expect(attributes[.ownerAccountID] as? Int == 65534, "\(name)")
    }
    #expect(Self.user() == "0")
  }

  @Test("a body that throws leaves the thread with the program's rights, and the file as it was")
  func thrown() throws {
    struct Failure: Error {}
    let theirs = NSUserDefaults(directory: home.path("Theirs"), applicationName: "App")
    #expect(throws: Failure.self) {
      try theirs.commit { draft in
        draft.setObject("1", forKey: "X")
        throw Failure()
      }
    }
    #expect(Self.user() == "0")
    #expect(!home.exists("Theirs/App.plist"))
  }
}
