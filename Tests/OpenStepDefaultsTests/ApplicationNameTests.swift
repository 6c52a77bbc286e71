import DefaultsDatabase
import DefaultsDomains
import Foundation
import TestSupport
import Testing

@testable import OpenStepDefaults

/// The name of the program's own domain.
struct ApplicationNameTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  @Test("a renamed program keeps its settings: a former name stays while the present one has no domain")
  func formerNames() async throws {
    for (files, used) in [
      ([], "New"), (["Old"], "Old"), (["Old", "Older"], "Old"), (["Older"], "Older"),
      (["New", "Old"], "New"),
    ] as [([String], String)] {
      let home = try TemporaryHome()
      for file in files { try home.write("{ k = \(file); }", to: "\(file).plist") }
      await #expect(processExitsWith: .success) {
        [path = home.path as String, files = files as [String], used = used as String] in
        setenv(DatabaseLocation.environmentVariable, path, 1)
        try NSUserDefaults.setApplicationName("New", formerNames: ["Old", "Older"])
        let defaults = NSUserDefaults.standardUserDefaults()
        #expect(defaults.searchList()[1] == used)
        #expect(defaults.stringForKey("k") == (files.contains(used) ? used : nil))
        defaults.setObject("set", forKey: "k")
        #expect(defaults.synchronize())
        // Nothing is moved, and no name changes while the process has the domain.
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter {
          $0.hasSuffix(".plist")
        }
        #expect(Set(names) == Set((files + [used]).map { "\($0).plist" }))
        defaults.removePersistentDomainForName(used)
        #expect(NSUserDefaults().application === defaults.application)
        #expect(NSUserDefaults(directory: path, applicationName: "Given").searchList()[1] == "Given")
      }
    }
  }

  @Test(
    "who starts a program with borrowed rights does not choose its domain by argument 0",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func borrowedRights() async throws {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      let file = PathNames.last(in: try #require(CurrentProcess.executablePath))
      CommandLine.unsafeArgv[0] = strdup("/elsewhere/Chosen")
      #expect(NSUserDefaults(directory: path + "/plain").application.name.text == "Chosen")
      // As a set-gid program of the group has.
      try #require(setegid(65534) == 0 && CurrentProcess.hasBorrowedRights)
      #expect(NSUserDefaults(directory: path + "/borrowed").application.name.text == file)
      #expect(CurrentProcess.namingPath(hasBorrowedRights: false) == "/elsewhere/Chosen")
    }
  }

  @Test("a call that comes too late, or names what no domain can have, is refused and changes nothing")
  func refused() async throws {
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      setenv(DatabaseLocation.environmentVariable, path, 1)
      func reason(_ names: String...) -> String {
        do {
          try NSUserDefaults.setApplicationName(names[0], formerNames: Array(names.dropFirst()))
          return "accepted"
        } catch {
          return "\(error)"
        }
      }
      #expect(reason("").contains("it is empty"))
      #expect(reason("New", "a/b").contains("“a/b”: cannot be the name of a domain"))
      // Named objects are no use of the program's name.
      #expect(NSUserDefaults(directory: path, applicationName: "Given").searchList()[1] == "Given")
      #expect(reason("First") == "accepted")
      #expect(reason("New", "Old") == "accepted")
      #expect(NSUserDefaults.standardUserDefaults().searchList()[1] == "New")
      #expect(reason("New", "Old") == "accepted")
      let late = reason("Other")
      #expect(
        late.contains("under the name \"New\" already") && late.contains("call setApplicationName before"))
      #expect(NSUserDefaults().application.name.text == "New")
    }
  }
}
