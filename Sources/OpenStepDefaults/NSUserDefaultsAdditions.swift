public import DefaultsDomains
public import OpenStepPropertyList

/// What ``NSUserDefaults`` offers beyond OPENSTEP's class and its successors; no other class conforms.
///
/// A member that a program declares in an extension of the class, in a subclass or in its own protocol
/// takes precedence over the member of the same name in this protocol's extension: a ported program's
/// categories keep their meaning.
public protocol NSUserDefaultsAdditions: NSUserDefaults {}

extension NSUserDefaults: NSUserDefaultsAdditions {}

extension NSUserDefaultsAdditions {
  /// The first value for a key along the search list, exactly as it is stored.
  ///
  /// Unlike ``NSUserDefaults/objectForKey(_:)`` this shows all keys inside dictionaries, also those that are
  /// equal as Swift's strings and differ in their bytes, and the types of values that another class stored.
  @_disfavoredOverload
  public func propertyListForKey(_ key: String) -> PropertyList? {
    lookUp(key)
  }

  /// Where the value that ``NSUserDefaults/objectForKey(_:)`` finds for a key comes from: its domain and, if a file
  /// holds it, the file with the line and the column.
  ///
  /// The file is read for that, so this is for messages, tests and tools. A value that is not saved yet has a domain but
  /// no file. So does a value of the arguments, of a language's domain or of the registration domain.
  ///
  /// - Returns: nil if no domain of the search list has the key.
  @_disfavoredOverload
  public func origin(of key: String) -> DefaultOrigin? {
    let key = PropertyListKey(key)
    for (name, domain) in state.withLock({ $0.searchList.namedDomains }) {
      guard let value = domain.value(for: key) else { continue }
      switch domain {
      case .volatile: return DefaultOrigin(domain: name)
      case .persistent(let domain):
        return DefaultOrigin(of: value, for: key, in: domain.name, persistent.database)
      }
    }
    return nil
  }

  /// The name of the application's domain, in which the setters store. Constant time.
  @_disfavoredOverload
  public var domainName: String { applicationName }

  /// Checks whether ``NSUserDefaults/setObject(_:forKey:)`` accepts a value.
  ///
  /// - Throws: ``InvalidArgumentError`` that names the key, the path inside the value and the type.
  @_disfavoredOverload
  public static func checkObject(_ value: Any?, forKey key: String) throws {
    if let value { _ = try NSUserDefaults.propertyList(value, forKey: key) }
  }

  /// Why the last read or write of the database failed, whether it was called for or automatic, or why an update was
  /// refused since; else nil.
  ///
  /// For a damaged file it names the place of the damage. A save that had to move a damaged file aside
  /// succeeds; until the second synchronize after it, this says where the file is.
  ///
  /// If a program never reads this, nor the stream of errors, and ends with changes that could not be saved,
  /// the process prints a line on standard error.
  @_disfavoredOverload
  public var lastError: (any Error)? {
    LossReport.shared.programAsked()
    return errorToReport
  }

  /// The same error, for this package's own messages: to read it does not count as a question of the program, so that
  /// losses are still reported.
  package var errorToReport: DatabaseError? { persistent.lastError }
}
