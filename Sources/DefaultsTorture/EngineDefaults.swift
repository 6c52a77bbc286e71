package import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// The engine's domains, used as the classic class uses them.
package final class EngineDefaults: TortureDefaults, Synchronizable {
  private let domains: PersistentDomains
  private let application: PersistentDomain
  private let global: PersistentDomain
  private let path: SearchPath
  /// The domains that were read by name since the last synchronize; the next one reads their files again.
  private let asked = Lock<[PersistentDomain]>([])

  package init(directory: String, applicationName: String) {
    domains = PersistentDomains.inDirectory(named: directory)
    (application, global) = domains.domainAndGlobal(ApplicationName.domainName(applicationName, in: domains))
    application.makePermanent()
    global.makePermanent()
    path = SearchPath([.persistent(application), .persistent(global)])
    Synchronizer.shared.add(self)
  }

  package func set(_ value: Int, for key: String) {
    put(.string(String(value)), for: key)
  }

  package func set(_ text: String, for key: String) {
    put(.string(text), for: key)
  }

  package func remove(_ key: String) {
    put(nil, for: key)
  }

  private func put(_ value: PropertyList?, for key: String) {
    domains.set(value, for: PropertyListKey(key), in: application)
  }

  package func integer(for key: String) -> Int {
    path.integer(for: key)
  }

  package func synchronize() -> Bool {
    let others = asked.withLock { asked in
      defer { asked = [] }
      return asked
    }
    return domains.save(andRefresh: true, of: [application, global] + others) == nil
  }

  package func countUp(_ key: String) throws {
    let key = PropertyListKey(key)
    try domains.commit(
      application,
      { draft, _ in
        let domain = draft.domain(application.name)
        let number = domain.value(for: key)?.scalarText.flatMap { Int($0) } ?? 0
        draft.set(.string(String(number + 1)), for: key, in: domain)
      }, changed: {})
  }

  package var lastError: DatabaseError? { domains.lastError }

  package func domain(_ name: String) -> [String: String]? {
    guard let name = try? domains.name(name) else { return nil }
    let domain = domains.domain(name)
    asked.withLock { $0.append(domain) }
    guard domain.exists else { return nil }
    return Dictionary(uniqueKeysWithValues: domain.values.map { ($0.key.text, $0.value.scalarText ?? "") })
  }

  package func replaceDomain(_ name: String, with texts: [String: String]) throws {
    let name = try domains.name(name)
    domains.remove(name)
    let domain = try domains.refreshedDomain(name)
    let values = Dictionary(
      uniqueKeysWithValues: texts.map { (PropertyListKey($0.key), PropertyList.string($0.value)) })
    // False if another thread or process has made the domain since it was removed, which is allowed.
    _ = domains.fill(domain, with: values)
  }
}
