import DefaultsDatabase
import DefaultsDomains
import Foundation

/// Databases for tests, which do not touch the settings of any user.
extension UserDefaultsAdditions {
  /// Makes an object whose domains are in memory only, and which shares them with no other object.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the application's domain, as for
  ///     ``UserDefaults/init(directory:applicationName:arguments:)``; by default the process's.
  ///   - arguments: The command line for the argument domain; its first element is ignored.
  @_disfavoredOverload
  public static func inMemory(applicationName: String? = nil, arguments: [String] = []) -> UserDefaults {
    let domains = PersistentDomains(database: nil)
    return UserDefaults(
      store: DefaultsStore(
        user: domains, applicationName: ApplicationName.domain(applicationName, in: domains),
        process: ProcessDomains(arguments: arguments), managed: nil))
  }

  /// Makes an object for a database in a new temporary directory, which is removed
  /// when the object is released.
  ///
  /// It is made in the directory that `TMPDIR` names, or in `/tmp` where it cannot be made there or other users could
  /// exchange it. If a program that removes old files removes it, nothing is read or saved any more.
  ///
  /// No other object shares the database. It is saved automatically, like any other, and
  /// ``UserDefaults/synchronize()`` returns whether it could be written. It uses one file descriptor.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the application's domain, as for
  ///     ``UserDefaults/init(directory:applicationName:arguments:)``; by default the process's.
  ///   - arguments: The command line for the argument domain; its first element is ignored.
  /// - Throws: an error, which names the directory and the reason, if it cannot be created.
  @_disfavoredOverload
  public static func temporary(
    applicationName: String? = nil, arguments: [String] = []
  ) throws -> UserDefaults {
    // For an empty TMPDIR Foundation gives the root directory.
    let places = [FileManager.default.temporaryDirectory.path, "/tmp"].filter { !["", "/"].contains($0) }
    let folder = try TemporaryDirectory(in: places, named: "UserDefaults-")
    let domains = PersistentDomains(database: UserDatabase(in: folder))
    return UserDefaults(
      store: DefaultsStore(
        user: domains, applicationName: ApplicationName.domain(applicationName, in: domains),
        process: ProcessDomains(arguments: arguments), managed: nil, temporaryFolder: folder))
  }

  /// Runs an operation in which ``UserDefaults/standard`` is another object.
  ///
  /// The tasks that the operation starts see it too, and no others do: tests that run in parallel neither
  /// share settings nor change the user's.
  ///
  /// - Parameters:
  ///   - defaults: The value of ``UserDefaults/standard`` during the operation.
  ///   - operation: The operation to run.
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
    // The closure above has run, and both of its paths set the outcome.
    guard let outcome else { preconditionFailure("the operation was not run") }
    return try outcome.get()
  }

  /// Runs an asynchronous operation in which ``UserDefaults/standard`` is another object.
  ///
  /// The tasks that the operation starts see it too, and no others do.
  ///
  /// - Parameters:
  ///   - defaults: The value of ``UserDefaults/standard`` during the operation.
  ///   - isolation: The actor on which the operation runs, by default the caller's.
  ///   - operation: The operation to run.
  /// - Returns: What the operation returns.
  @_disfavoredOverload
  public static func withStandard<Result>(
    _ defaults: UserDefaults, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
  ) async rethrows -> Result {
    try await StandardOverride.$current.withValue(defaults, operation: operation)
  }
}

/// The task-local value of ``UserDefaults/standard``.
enum StandardOverride {
  @TaskLocal static var current: UserDefaults?
}
