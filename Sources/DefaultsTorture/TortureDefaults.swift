package import DefaultsDatabase

/// The calls of a trial's children, made by the engine or by a class that uses the engine.
package protocol TortureDefaults: Sendable {
  /// Opens the database of a directory, as a program with this name.
  init(directory: String, applicationName: String)

  /// Sets a number in the application's domain.
  func set(_ value: Int, for key: String)
  /// Sets a text in the application's domain.
  func set(_ text: String, for key: String)
  /// Removes a key from the application's domain.
  func remove(_ key: String)
  /// The number that a lookup of a key finds.
  func integer(for key: String) -> Int

  /// Saves the changes made here, and reads external ones; false if that failed.
  func synchronize() -> Bool
  /// Why the last attempt to read or write failed.
  var lastError: DatabaseError? { get }

  /// Counts a number of the application's domain up by a commit; throws `DatabaseError` if that failed.
  func countUp(_ key: String) throws

  /// The texts of a domain; nil if there is no such domain.
  func domain(_ name: String) -> [String: String]?
  /// Replaces the contents of a domain by these texts; if another thread or process does the same at this
  /// moment, its texts may remain.
  func replaceDomain(_ name: String, with texts: [String: String]) throws
}
