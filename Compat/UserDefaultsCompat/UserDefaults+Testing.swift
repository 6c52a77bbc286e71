import DefaultsDatabase
import DefaultsDomains
import Foundation

/// Databases that tests may fill without touching anyone's settings.
extension UserDefaultsAdditions {
  /// Makes an object whose domains no file holds and no other object shares.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the application's domain; by default the process's.
  ///   - arguments: The command line that makes the argument domain; its first element does not count.
  @_disfavoredOverload
  public static func inMemory(applicationName: String? = nil, arguments: [String] = []) -> UserDefaults {
    UserDefaults(
      store: DefaultsStore(
        user: PersistentDomains(database: nil), applicationName: ApplicationName.domainName(applicationName),
        process: ProcessDomains(arguments: arguments), managed: nil))
  }

  /// Makes an object for a database in a new temporary folder, which is removed when the object is let go.
  ///
  /// Nothing else shares the database. Like any other it saves by itself, and its ``UserDefaults/synchronize()`` tells
  /// whether the disk took it.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the application's domain; by default the process's.
  ///   - arguments: The command line that makes the argument domain; its first element does not count.
  /// - Throws: the system's error where no folder can be made.
  @_disfavoredOverload
  public static func temporary(
    applicationName: String? = nil, arguments: [String] = []
  ) throws -> UserDefaults {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("UserDefaults-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return UserDefaults(
      store: DefaultsStore(
        user: PersistentDomains(database: UserDatabase(directory: folder.path)),
        applicationName: ApplicationName.domainName(applicationName),
        process: ProcessDomains(arguments: arguments), managed: nil, temporaryFolder: folder))
  }

  /// Runs an operation in which ``UserDefaults/standard`` is another object.
  ///
  /// The operation's own tasks see it too, and nothing outside does: tests that run side by side neither
  /// share settings nor litter the user's.
  ///
  /// - Parameters:
  ///   - defaults: What ``UserDefaults/standard`` is meanwhile.
  ///   - operation: What to run.
  /// - Returns: What the operation returns.
  @_disfavoredOverload
  public static func withStandard<Result, Failure: Error>(
    _ defaults: UserDefaults, operation: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var outcome: Swift.Result<Result, Failure>?
    StandardOverride.$current.withValue(defaults) {
      do throws(Failure) {
        outcome = .success(try operation())
      } catch {
        outcome = .failure(error)
      }
    }
    // The closure above has run, and either of its ways sets the outcome.
    guard let outcome else { preconditionFailure("the operation was not run") }
    return try outcome.get()
  }

  /// Runs an asynchronous operation in which ``UserDefaults/standard`` is another object.
  ///
  /// The operation's own tasks see it too, and nothing outside does.
  ///
  /// - Parameters:
  ///   - defaults: What ``UserDefaults/standard`` is meanwhile.
  ///   - isolation: The actor on which the operation runs, by default the caller's.
  ///   - operation: What to run.
  /// - Returns: What the operation returns.
  @_disfavoredOverload
  public static func withStandard<Result>(
    _ defaults: UserDefaults, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
  ) async rethrows -> Result {
    try await StandardOverride.$current.withValue(defaults, operation: operation)
  }
}

/// What ``UserDefaults/standard`` is in the present task.
enum StandardOverride {
  @TaskLocal static var current: UserDefaults?
}
