import DefaultsDatabase
import Foundation

/// The name of the domain that a program's own defaults lie in.
enum ApplicationName {
  /// A given name, or else the process's: the last component of its argument 0.
  ///
  /// A process can be started under a name that no file can have; its domain is then `Unnamed`.
  static func domainName(_ given: String? = nil) -> DomainName {
    let name = given ?? ProcessInfo.processInfo.processName
    return (try? DomainName(name)) ?? .unnamed
  }
}
