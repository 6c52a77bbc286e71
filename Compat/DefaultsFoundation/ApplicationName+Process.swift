package import DefaultsDatabase
package import DefaultsDomains
import Foundation

/// The program's own name, as it says it to Foundation or to this package.
extension ApplicationName {
  /// The name of the program's own domain in a database: a given one, or else the one that is found.
  package static func domain(_ given: String?, in domains: PersistentDomains) -> DomainName {
    domainName(given, in: domains, processName: assignedProcessName)
  }

  /// The name that the program set as `ProcessInfo.processInfo.processName`; nil if it set none.
  private static var assignedProcessName: String? {
    let name = ProcessInfo.processInfo.processName
    // Before it is set, it is the name of the program's file on Linux, and on macOS that of argument 0.
    let others = [CurrentProcess.programName, CurrentProcess.executablePath ?? ""]
    let isAssigned =
      !name.isEmpty && !others.contains { $0.utf8.elementsEqual(name.utf8) || $0.hasSuffix("/" + name) }
    return isAssigned ? name : nil
  }

  /// Names the program and its former names, the latest first.
  ///
  /// - Throws: an error for a name that not every database can have, and where the program's domain is used
  ///   under another name already.
  package static func setName(_ name: String, formerNames: [String]) throws(InvalidArgumentError) {
    let names = [name] + formerNames
    do throws(DatabaseError) {
      for name in names {
        for dialect in [DatabaseDialect.openStep, .gnustep] { _ = try DomainName(name, in: dialect) }
      }
    } catch {
      throw InvalidArgumentError(error.description)
    }
    do throws(TooLate) {
      try ApplicationName.name(names)
    } catch {
      throw InvalidArgumentError(
        "the program's domain is used under the name \"\(error.name)\" already, and stays \"\(error.name)\": "
          + "call setApplicationName before the first object without a name of its own is made")
    }
  }
}
