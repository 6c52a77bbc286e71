public import DefaultsDatabase
public import OpenStepDefaults
import OpenStepPropertyList

/// Other databases, read in place.
extension NSUserDefaults {
  /// Adds another database, which is only read, to the search list.
  ///
  /// A program that succeeds another finds its settings in this way, until it has settings of its own: the
  /// other database's domain of the application is searched right behind the application's own, and its
  /// global domain right behind the global one. Both become volatile domains of this object, named by the
  /// paths of their files, with the files' present values; they can be removed like any volatile domain.
  ///
  /// Files are read in every format that this package knows, independently of their names: a GNUstep database
  /// as well as one of OPENSTEP, Window Maker or Apple.
  ///
  /// - Parameters:
  ///   - directory: The other database's directory.
  ///   - domain: The name of the application's domain in that database; nil for this object's.
  /// - Returns: The names of the domains that were found; none if the other database has neither.
  /// - Throws: `DatabaseError` if a file is damaged or cannot be read. Nothing is changed then.
  @discardableResult
  public func mountDatabase(
    at directory: String, applicationDomain domain: String? = nil
  ) throws(DatabaseError) -> [String] {
    // Not opened as GNUstep's database, which would leave out files without an extension.
    let database = UserDatabase(directory: try DatabaseLocation.resolve(argument: directory))
    let places = [
      (name: try DomainName(domain ?? applicationName), own: applicationName),
      (name: DomainName.global, own: NSGlobalDomain),
    ]
    var found: [(path: String, values: [PropertyListKey: PropertyList], own: String)] = []
    for place in places {
      let path = database.path(of: place.name)
      if found.contains(where: { haveEqualBytes($0.path, path) }) { continue }
      let loaded = try database.load(place.name)
      if let damage = loaded.damage { throw damage }
      if loaded.identity != nil { found.append((path, loaded.values, place.own)) }
    }
    var names = searchList()
    for domain in found {
      setVolatileDomain(domain.values, named: domain.path)
      names.removeAll { haveEqualBytes($0, domain.path) }
      let index = names.firstIndex { haveEqualBytes($0, domain.own) }
      names.insert(domain.path, at: index.map { $0 + 1 } ?? names.count)
    }
    setWholeSearchList(names)
    return found.map(\.path)
  }
}
