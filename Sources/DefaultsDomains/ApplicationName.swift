package import DefaultsDatabase

/// The name of the domain that contains a program's own defaults.
package enum ApplicationName {
  /// A given name, or else the process's name: the last component of its argument 0, as in OPENSTEP.
  ///
  /// A process can be started under a name that no file can have; its domain is then `Unnamed`. In a name
  /// that is not UTF-8, each byte that belongs to no character is written as `%E8`.
  ///
  /// - Parameter dialect: Whose programs share the domain's directory.
  /// - Precondition: A given name is valid for a domain.
  package static func domainName(
    _ given: String? = nil, in dialect: DatabaseDialect = .openStep
  ) -> DomainName {
    do throws(DatabaseError) {
      return try DomainName(given ?? lastComponent(of: CurrentProcess.programName), in: dialect)
    } catch {
      // The program would not find its settings if they were stored under another name.
      if given != nil { Misuse.stop("the name of the application's domain: \(error)") }
      return .unnamed
    }
  }

  private static func lastComponent(of path: String) -> String {
    // Split as bytes: a combining mark after a slash would form one character with it.
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
  }
}
