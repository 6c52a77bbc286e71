import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import Synchronization

/// The volatile domains that the objects of a process share: its arguments and its registered defaults.
final class ProcessDomains: Sendable {
  /// Domains in memory only.
  let domains = PersistentDomains(database: nil)
  let argument: PersistentDomain
  let registration: PersistentDomain
  /// A number that no other such pair has during the process.
  let number = ProcessDomains.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue

  private static let lastNumber = Atomic(0)

  /// The domains of the process itself.
  static let shared = ProcessDomains(arguments: CommandLine.arguments)

  /// - Parameter arguments: A command line; its first element is the program and is ignored.
  init(arguments: [String]) {
    argument = domains.domain(.argument)
    registration = domains.domain(.registration)
    domains.replace(argument, with: ArgumentDomain.values(of: arguments, takesLoneHyphen: false))
  }

  /// The domain of a name, if it is one of the two.
  func domain(named name: String) -> PersistentDomain? {
    [argument, registration].first { PropertyListKey($0.name.text) == PropertyListKey(name) }
  }
}
