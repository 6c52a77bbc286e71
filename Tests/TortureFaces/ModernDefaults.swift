import DefaultsDatabase
import DefaultsTorture
import UserDefaultsCompat

/// The calls of a trial, by way of the modern class.
struct ModernDefaults: TortureDefaults {
  private let defaults: UserDefaultsCompat.UserDefaults

  init(directory: String, applicationName: String) {
    defaults = UserDefaultsCompat.UserDefaults(directory: directory, applicationName: applicationName)
  }

  func set(_ value: Int, for key: String) { defaults.set(String(value), forKey: key) }
  func set(_ text: String, for key: String) { defaults.set(text, forKey: key) }
  func remove(_ key: String) { defaults.removeObject(forKey: key) }
  func integer(for key: String) -> Int { defaults.integer(forKey: key) }
  func synchronize() -> Bool { defaults.synchronize() }
  func countUp(_ key: String) throws {
    try defaults.commit { $0.set(String($0.integer(forKey: key) + 1), forKey: key) }
  }
  var lastError: DatabaseError? { defaults.lastError as? DatabaseError }

  func domain(_ name: String) -> [String: String]? {
    defaults.persistentDomain(forName: name)?.mapValues { $0 as? String ?? "" }
  }

  func replaceDomain(_ name: String, with texts: [String: String]) {
    defaults.setPersistentDomain(texts, forName: name)
  }
}
