import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
import Foundation
import OpenStepPropertyList

/// The checks of what programs pass: names of domains, and values.
extension UserDefaults {
  static func suiteName(_ text: String?, in domains: PersistentDomains) -> DomainName? {
    guard let text else { return ApplicationName.domain(nil, in: domains) }
    do throws(DatabaseError) {
      let name = try DomainName(text)
      let isIdentifier = Bundle.main.bundleIdentifier.map { PropertyListKey($0) == PropertyListKey(text) }
      return isIdentifier ?? false || name == .global ? nil : name
    } catch {
      ErrorReports.shared.add(error)
      return nil
    }
  }

  static func propertyLists(
    _ dictionary: [String: Any], of function: String
  ) -> [PropertyListKey: PropertyList] {
    var result = [PropertyListKey: PropertyList](minimumCapacity: dictionary.count)
    do {
      for (key, value) in dictionary {
        result[PropertyListKey(key)] = try propertyList(value, forKey: key)
      }
    } catch {
      Misuse.stop("UserDefaults.\(function): \(error)")
    }
    return result
  }

  /// A domain's name; nil for a name that no domain can have, which is reported.
  func domainName(_ text: String) -> DomainName? {
    do throws(DatabaseError) {
      return try DomainName(text)
    } catch {
      store.report(error)
      return nil
    }
  }

  /// The name of a persistent domain that is to be changed; nil for a refused name, which is reported.
  func persistentName(_ text: String) -> DomainName? {
    guard store.process.domain(named: text) == nil else {
      store.report(
        DatabaseError(
          .refused, path: "“\(text)”", message: "is the name of a volatile domain",
          advice: "nothing was changed; use setVolatileDomain(_:forName:)"))
      return nil
    }
    return domainName(text)
  }
}
