import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepDefaults
import TestSupport
import Testing

@testable import UserDefaultsCompat

/// The name of the program's own domain, which every class of the process has.
struct ApplicationNameTests {
  private typealias UserDefaults = UserDefaultsCompat.UserDefaults

  @Test("a renamed program keeps its settings, in the modern class as in the classic one")
  func formerNames() async throws {
    let home = try TemporaryHome()
    try home.write("{ k = old; }", to: "Old.plist")
    await #expect(processExitsWith: .success) { [path = home.path as String] in
      setenv(DatabaseLocation.environmentVariable, path, 1)
      // An empty domain that the process has is no domain of the program's.
      let suite = UserDefaults(suiteName: "New")
      try UserDefaults.setApplicationName("New", formerNames: ["Old"])
      #expect(UserDefaults.standard.string(forKey: "k") == "old")
      #expect(NSUserDefaults.standardUserDefaults().searchList()[1] == "Old")
      #expect(UserDefaults.standard.domainName == "Old" && suite?.domainName == "New")
      #expect(NSUserDefaults.standardUserDefaults().domainName == "Old")
      #expect(UserDefaults(suiteName: nil)?.string(forKey: "k") == "old")
      #expect(suite?.string(forKey: "k") == nil)
      // A database that has neither of the names.
      let other = UserDefaults(directory: path + "/other")
      other.set("new", forKey: "k")
      #expect(other.synchronize() && FileManager.default.fileExists(atPath: path + "/other/New.plist"))
      #expect(throws: InvalidArgumentError.self) { try UserDefaults.setApplicationName("Other") }
      try UserDefaults.setApplicationName("New", formerNames: ["Old"])
    }
  }

  @Test("an object without a name of its own is a use, even in memory")
  func tooLate() async throws {
    await #expect(processExitsWith: .success) {
      let defaults = UserDefaults.inMemory()
      #expect(
        defaults.store.application.name.text == CurrentProcess.programName.split(separator: "/").last ?? "")
      #expect(throws: InvalidArgumentError.self) { try UserDefaults.setApplicationName("Other") }
    }
  }
}
