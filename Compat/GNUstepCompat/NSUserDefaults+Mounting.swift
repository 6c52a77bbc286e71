public import DefaultsDatabase
public import OpenStepDefaults
import OpenStepPropertyList

/// Other databases, read where they lie.
extension NSUserDefaults {
  /// Searches another database as well, of which nothing is ever written.
  ///
  /// A program that follows another finds its settings so, until it has some of its own: the other
  /// database's domain of the application is searched right behind the application's own, and its global
  /// domain right behind the global one. They are volatile domains of this object, named by the paths of their
  /// files, with what is in the files now; removed like any other, they are searched no longer.
  ///
  /// Every format is read that this package knows, whatever the files' names say: a GNUstep database as
  /// well as one of OPENSTEP, Window Maker's or Apple's.
  ///
  /// - Parameters:
  ///   - directory: The other database's directory.
  ///   - domain: The name that the application's domain has there; nil for this one's.
  /// - Returns: The names of the domains that were found; none where the other database has neither.
  /// - Throws: `DatabaseError` where a file is damaged or cannot be read. Nothing is changed then.
  @discardableResult
  public func mountDatabase(
    at directory: String, applicationDomain domain: String? = nil
  ) throws(DatabaseError) -> [String] {
    // Not GNUstep's, which would leave out files without an extension.
    let database = UserDatabase(directory: try DatabaseLocation.resolve(argument: directory))
    let places = [
      (name: try DomainName(domain ?? applicationName), own: applicationName),
      (name: DomainName.global, own: NSGlobalDomain),
    ]
    var found: [(path: String, values: [PropertyListKey: PropertyList], own: String)] = []
    for place in places where !found.contains(where: { $0.path == database.path(of: place.name) }) {
      let loaded = try database.load(place.name)
      if let damage = loaded.damage { throw damage }
      if loaded.identity != nil { found.append((database.path(of: place.name), loaded.values, place.own)) }
    }
    var names = searchList()
    for domain in found {
      setVolatileDomain(domain.values, named: domain.path)
      names.removeAll { $0 == domain.path }
      names.insert(domain.path, at: names.firstIndex(of: domain.own).map { $0 + 1 } ?? names.count)
    }
    setWholeSearchList(names)
    return found.map(\.path)
  }
}
