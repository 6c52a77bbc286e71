import Foundation
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// The class as a whole; what single calls answer is in the behaviour vectors.
struct UserDefaultsTests {
  @Test("objects on one directory, classic and modern, see one another's changes at once")
  func shared() throws {
    let home = try TemporaryHome()
    let first = UserDefaults(directory: home.path, applicationName: "App")
    let second = UserDefaults(directory: home.path, applicationName: "App")
    first.set(5, forKey: "k")
    #expect(second.integer(forKey: "k") == 5)
    second.removeObject(forKey: "k")
    #expect(first.object(forKey: "k") == nil)
  }
}
