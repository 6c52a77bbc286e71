package import DefaultsDatabase

/// The name of the domain that a program's own defaults lie in.
package enum ApplicationName {
  /// A given name, or else the process's: the last component of its argument 0, as in OPENSTEP.
  ///
  /// A process can be started under a name that no file can have; its domain is then `Unnamed`. Of a name that is not
  /// UTF-8 each byte that is no part of a character is spelt `%E8`.
  ///
  /// - Parameter dialect: Whose programs share the directory in which the domain lies.
  /// - Precondition: A given name is one that a domain can have.
  package static func domainName(
    _ given: String? = nil, in dialect: DatabaseDialect = .openStep
  ) -> DomainName {
    do throws(DatabaseError) {
      return try DomainName(given ?? lastComponent(of: CurrentProcess.programName), in: dialect)
    } catch {
      // Settings that lie under another name than the program says would be as good as lost.
      if given != nil { Misuse.stop("the name of the application's domain: \(error)") }
      return .unnamed
    }
  }

  private static func lastComponent(of path: String) -> String {
    // Bytes, not characters: a combining mark after the slash would make one character with it.
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
  }
}
