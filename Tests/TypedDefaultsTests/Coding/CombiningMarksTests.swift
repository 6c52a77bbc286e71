import Foundation
import TestSupport
import Testing
import TypedDefaults
import UserDefaultsCompat

/// Texts with many combining marks, which Swift compares and hashes in a time that grows with their square.
struct CombiningMarksTests {
  @Test("the time to read typed values of them grows with their number")
  func reading() throws {
    let home = try TemporaryHome()
    let ratio = try growth(from: 10_000, to: 40_000, bound: 10) { count in
      let marks = repeatedMarks(count)
      try home.write("{ text = \"y\(marks)\"; map = { \"x\(marks)\" = 1; }; }".utf8, to: "App.plist")
      let suite = UserDefaultsCompat.UserDefaults(
        directory: home.path, applicationName: "App", arguments: [])
      let start = threadTime()
      #expect(Defaults[Defaults.Key<Bool?>("text", suite: suite)] == nil)
      #expect(Defaults[Defaults.Key<Int?>("text", suite: suite)] == nil)
      #expect(Defaults[Defaults.Key<URL?>("text", suite: suite)]?.isFileURL == true)
      #expect(Defaults[Defaults.Key<Locale?>("text", suite: suite)] != nil)
      #expect(Defaults[Defaults.Key<[String: Int]>("map", default: [:], suite: suite)].count == 1)
      return threadTime() - start
    }
    #expect(ratio < 10, "\(ratio)")
  }
}
