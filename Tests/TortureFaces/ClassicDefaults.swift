import DefaultsDatabase
import DefaultsFoundation
import DefaultsTorture
import OpenStepDefaults

/// The calls of a trial, by way of the classic class.
struct ClassicDefaults: TortureDefaults {
  private let defaults: NSUserDefaults

  init(directory: String, applicationName: String) {
    defaults = NSUserDefaults(directory: directory, applicationName: applicationName)
  }

  func set(_ value: Int, for key: String) { defaults.setInteger(value, forKey: key) }
  func set(_ text: String, for key: String) { defaults.setObject(text, forKey: key) }
  func remove(_ key: String) { defaults.removeObjectForKey(key) }
  func integer(for key: String) -> Int { defaults.integerForKey(key) }
  func synchronize() -> Bool { defaults.synchronize() }
  func countUp(_ key: String) throws {
    try defaults.commit { $0.setInteger($0.integerForKey(key) + 1, forKey: key) }
  }
  var lastError: DatabaseError? { defaults.lastError as? DatabaseError }

  func domain(_ name: String) -> [String: String]? {
    defaults.persistentDomainForName(name)?.mapValues { $0 as? String ?? "" }
  }

  func replaceDomain(_ name: String, with texts: [String: String]) throws {
    defaults.removePersistentDomainForName(name)
    do {
      try defaults.setPersistentDomain(texts, forName: name)
    } catch is InvalidArgumentError {
      // Another thread or process has made the domain between the two calls.
    }
  }
}
