import Foundation
import TestSupport
import Testing
import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// Values and keys with many combining marks, which Swift compares and hashes in a time that grows with their square.
struct CombiningMarksTests {
  @Test("the time to read them grows with their number")
  func reading() throws {
    let home = try TemporaryHome()
    let ratio = try growth(from: 10_000, to: 40_000, bound: 10) { count in
      let text = repeatedMarks(count)
      try home.write(
        "{ Outer = { \"x\(text)\" = 1; }; \"top\(text)\" = 3; Plain = \"\(text)\"; Number = \"n\(text)\"; }"
          .utf8,
        to: "App.plist")
      let defaults = UserDefaults(directory: home.path, applicationName: "App", arguments: [])
      let start = threadTime()
      for key in ["Plain", "Number"] {
        #expect(defaults.double(forKey: key) == 0 && defaults.float(forKey: key) == 0)
        #expect(defaults.integer(forKey: key) == 0 && !defaults.bool(forKey: key))
        #expect(defaults.string(forKey: key)?.utf8.count ?? 0 >= 2 * count)
        #expect(defaults.url(forKey: key) != nil && defaults.object(forKey: key) != nil)
      }
      #expect(defaults.dictionary(forKey: "Outer")?.count == 1 && defaults.object(forKey: "Outer") != nil)
      #expect(defaults.persistentDomain(forName: "App")?.count == 4)
      #expect(defaults.dictionaryRepresentation().count >= 4)
      return threadTime() - start
    }
    #expect(ratio < 10, "\(ratio)")
  }
}
