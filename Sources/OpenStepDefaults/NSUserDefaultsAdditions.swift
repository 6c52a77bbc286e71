import DefaultsDomains
public import OpenStepPropertyList

/// What ``NSUserDefaults`` has beyond OPENSTEP's class and those that followed it; no other class conforms.
///
/// Members of a protocol's extension give way to those of the same name that a program declares, in an
/// extension of the class, in a subclass or in a protocol of its own: a port's categories keep their meaning.
public protocol NSUserDefaultsAdditions: NSUserDefaults {}

extension NSUserDefaults: NSUserDefaultsAdditions {}

extension NSUserDefaultsAdditions {
  /// The first value for a key along the search list, exactly as it is stored.
  ///
  /// Unlike ``NSUserDefaults/objectForKey(_:)`` this keeps apart keys inside dictionaries that differ in their bytes
  /// but not to Swift's strings, and shows the types of values that another class stored with one.
  @_disfavoredOverload
  public func propertyListForKey(_ key: String) -> PropertyList? {
    lookUp(key)
  }

  /// Tells whether ``NSUserDefaults/setObject(_:forKey:)`` takes a value.
  ///
  /// - Throws: ``InvalidArgumentError`` that names the key, the path inside the value and the type.
  @_disfavoredOverload
  public static func checkObject(_ value: Any?, forKey key: String) throws {
    if let value { _ = try NSUserDefaults.propertyList(value, forKey: key) }
  }

  /// Why the database could not be read or written when it last was, by a call or by itself; else nil.
  ///
  /// A file that is damaged is named here with the place of the damage. A save that had to move one
  /// aside succeeds, and this says where the file is, until the second synchronize after it.
  ///
  /// A program that never asks, nor reads the errors as they come about, is told on standard error when it
  /// ends with changes that could not be saved.
  @_disfavoredOverload
  public var lastError: (any Error)? {
    LossReport.shared.programAsked()
    return persistent.lastError
  }
}
