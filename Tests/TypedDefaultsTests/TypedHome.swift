import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import TypedDefaults

@testable import UserDefaultsCompat

typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// A database of one test's own, for keys of an application called App.
struct TypedHome {
  private let home: TemporaryHome
  let defaults: UserDefaults
  let directory: String

  init() throws {
    home = try TemporaryHome()
    directory = home.path + "/Defaults"
    defaults = UserDefaults(directory: directory, applicationName: "App")
  }

  /// The file's text, after a save.
  var text: String {
    get throws {
      if !defaults.synchronize(), let error = defaults.lastError { throw error }
      return try home.text(of: "Defaults/App.plist")
    }
  }

  /// An object that shares nothing with others in memory, and so knows only what is in the file.
  func reopened() throws -> UserDefaults {
    _ = try text
    return UserDefaults(
      store: DefaultsStore(
        user: PersistentDomains(database: UserDatabase(directory: directory)),
        applicationName: try DomainName("App"), process: ProcessDomains(arguments: []), managed: nil))
  }

  /// Writes as another process does.
  func writeOutside(_ key: PropertyListKey, _ value: PropertyList?) throws {
    var changes = DomainChanges()
    if let value { changes.set(value, for: key) } else { changes.remove(key) }
    _ = try UserDatabase(directory: directory)
      .commit(changes, to: DomainName("App"), onDamage: .refuse)
  }

  /// Stores text as a classic program does.
  func writeClassic(_ text: String, _ key: String) {
    NSUserDefaults(directory: directory, applicationName: "App").setObject(text, forKey: key)
  }
}

/// What observers were told, from any thread.
final class Log<Entry: Sendable>: Sendable {
  private let entries = Lock<[Entry]>([])

  func add(_ entry: Entry) {
    entries.withLock { $0.append(entry) }
  }

  var all: [Entry] { entries.withLock { $0 } }

  func take() -> [Entry] {
    entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
  }
}

extension UserDefaults {
  /// The errors about a key, from now on; other tests' come in the same sequence.
  static func valueErrors(of key: String) -> some AsyncSequence<Defaults.ValueError, Never> {
    errors.compactMap { $0 as? Defaults.ValueError }.filter { $0.key == key }
  }
}
