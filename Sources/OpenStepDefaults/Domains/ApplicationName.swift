package import DefaultsDatabase

/// The name of the domain that a program's own defaults lie in.
package enum ApplicationName {
  /// A given name, or else the process's: the last component of its argument 0, as in OPENSTEP.
  ///
  /// A process can be started under a name that no file can have; its domain is then `Unnamed`.
  ///
  /// - Precondition: A given name is one that a domain can have.
  package static func domainName(_ given: String? = nil) -> DomainName {
    do throws(DatabaseError) {
      return try DomainName(given ?? lastComponent(of: CommandLine.arguments.first ?? ""))
    } catch {
      // Settings that lie under another name than the program says would be as good as lost.
      if given != nil { fatalError("\(error)") }
      return .unnamed
    }
  }

  private static func lastComponent(of path: String) -> String {
    // Bytes, not characters: a combining mark after the slash would make one character with it.
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
  }
}
