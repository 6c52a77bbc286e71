import Foundation
import UserDefaultsCompat

/// Data that a database holds where a program expects a URL.
enum URLCheck {
  private static let defaults = UserDefaultsCompat.UserDefaults.inMemory()

  static func check(_ bytes: [UInt8]) {
    defaults.set(Data(bytes), forKey: "URL")
    guard let url = defaults.url(forKey: "URL") else { return }
    defaults.set(url, forKey: "URL")
    guard let stored = defaults.url(forKey: "URL") else {
      fatalError("a URL that was set is not there: \(url)")
    }
    // Compared as they are written, too: Foundation takes some URLs for equal that are not the same.
    guard stored == url, stored.relativeString == url.relativeString else {
      fatalError("a URL comes back as another: \(url.debugDescription), then \(stored.debugDescription)")
    }
  }
}
