package import DefaultsDatabase

/// The calls that the children of a trial make, by way of the engine or of one of its faces.
package protocol TortureDefaults: Sendable {
  /// Opens the database of a directory, as a program of that name.
  init(directory: String, applicationName: String)

  /// Sets a number in the application's domain.
  func set(_ value: Int, for key: String)
  /// Sets a text in the application's domain.
  func set(_ text: String, for key: String)
  /// Removes a key from the application's domain.
  func remove(_ key: String)
  /// The number that a lookup finds.
  func integer(for key: String) -> Int

  /// Saves what was changed here, and reads what others changed; false where that failed.
  func synchronize() -> Bool
  /// Why the last attempt to read or write failed.
  var lastError: DatabaseError? { get }

  /// The texts of a domain; nil where there is none of that name.
  func domain(_ name: String) -> [String: String]?
  /// Makes a domain hold these texts and no others; where another thread or process does the same at this moment, its
  /// texts may stay.
  func replaceDomain(_ name: String, with texts: [String: String]) throws
}
