package import DefaultsDatabase

/// The name of the domain that contains a program's own defaults.
package enum ApplicationName {
  private static let naming = Lock(Naming())

  /// What the process is called, for all databases.
  private struct Naming {
    /// The names that the program gave itself, the present one first; empty if it gave none.
    var given: [String] = []
    /// Whether an object has asked for the program's name.
    var isUsed = false
    /// The process's name when the first object of GNUstep's asked for it.
    var gnustepName: String?
  }

  /// A call that comes too late, because a domain is used under another name.
  package struct TooLate: Error {
    /// The name that is used.
    package let name: String
  }

  /// Names the program, for every object that is made without a name of its own.
  ///
  /// - Parameter names: The name, and behind it the program's former ones, the latest first; each of them
  ///   valid for a domain.
  package static func name(_ names: [String]) throws(TooLate) {
    let used: String? = naming.withLock { naming in
      if naming.given == names { return nil }
      if naming.isUsed { return naming.given.first ?? naming.gnustepName ?? lastComponent() }
      naming.given = names
      return nil
    }
    if let used { throw TooLate(name: used) }
  }

  /// The name of the domain in a database.
  ///
  /// It is a given one, or else one of these:
  ///
  /// 1. the name that the program gave itself (``name(_:)``),
  /// 2. in GNUstep's databases the program's identifier (``BundleIdentifier``), as in GNUstep 1.31,
  /// 3. the process's name: in GNUstep's databases the one that the program set, or else the last component of
  ///    its argument 0, as in OPENSTEP. Where the process has borrowed rights, such as a set-uid program, it is the name
  ///    of the program's file: whoever starts it would choose by argument 0 which of its owner's domains it uses.
  ///
  /// A domain is not lost where its program is renamed: while the database has a domain of a former name and
  /// none of the present one, the former name stays. A program's former names are those that it says, and for
  /// an identifier the process's name. What was found at the first use stays until the process releases the
  /// database's domains.
  ///
  /// A process can be started under a name that no file can have; its domain is then `Unnamed`. In a name
  /// that is not UTF-8, each byte that belongs to no character is written as `%E8`.
  ///
  /// - Parameter processName: The name that the program gave its process; nil if it gave none. Asking Foundation
  ///   for it takes longer than all else before a first lookup, so that only GNUstep's databases ask.
  /// - Precondition: A given name is valid for a domain.
  package static func domainName(
    _ given: String?, in domains: PersistentDomains, processName: @autoclosure () -> String? = nil
  ) -> DomainName {
    if let given {
      do throws(DatabaseError) {
        return try domains.name(given)
      } catch {
        // The program would not find its settings if they were stored under another name.
        Misuse.stop("the name of the application's domain: \(error)")
      }
    }
    if let name = domains.state.withLock({ $0.programName }) { return name }
    let name = present(in: domains, names(in: domains, processName))
    return domains.state.withLock { state in
      // Another thread may have been first.
      if let first = state.programName { return first }
      state.programName = name
      return name
    }
  }

  /// The present name and the former ones.
  private static func names(in domains: PersistentDomains, _ processName: () -> String?) -> [DomainName] {
    let isGNUstep = domains.database?.dialect == .gnustep
    let assigned = isGNUstep ? processName() : nil
    let (given, processName) = naming.withLock { naming in
      naming.isUsed = true
      let name = (isGNUstep ? naming.gnustepName : nil) ?? assigned ?? lastComponent()
      if isGNUstep { naming.gnustepName = name }
      return (naming.given, name)
    }
    var names = given.isEmpty ? [processName] : given
    var errors: [DatabaseError] = []
    if given.isEmpty, isGNUstep, let program = CurrentProcess.executablePath {
      do throws(DatabaseError) {
        if let identifier = try BundleIdentifier.ofProgram(at: program) { names.insert(identifier, at: 0) }
      } catch {
        errors.append(error)
      }
    }
    var valid: [DomainName] = []
    for name in names {
      do throws(DatabaseError) {
        valid.append(try domains.name(name))
      } catch {
        // The name of a process is not always the program's choice.
        if name != processName { errors.append(error) }
      }
    }
    domains.note(errors)
    return valid
  }

  /// The first name that has a domain, or the present one.
  private static func present(in domains: PersistentDomains, _ names: [DomainName]) -> DomainName {
    let present = names.first ?? .unnamed
    return names.count < 2 ? present : names.first(where: domains.hasContents) ?? present
  }

  private static func lastComponent() -> String { PathNames.last(in: CurrentProcess.namingPath()) }
}
