// The names of the constants are in OPENSTEP's style.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import DefaultsDomains
import DefaultsFoundation
public import Foundation

/// Receipts: when changes are on stable storage.
extension NSUserDefaultsAdditions {
  /// Returns when everything that was set before, in any domain of this object's database, is on stable storage.
  ///
  /// If nothing is unsaved, it returns at once, in less than a microsecond; otherwise the save begins now, and
  /// not a moment later. Any number of tasks may wait; they take no thread. An object in memory has no storage, so
  /// that it returns at once.
  ///
  /// - Parameter isolation: The actor that waits, by default the caller's.
  /// - Throws: `DatabaseError` if a save fails: the changes are kept, and a later save writes them. `CancellationError`
  ///   if the task is cancelled.
  @_disfavoredOverload
  public func saved(isolation: isolated (any Actor)? = #isolation) async throws {
    try await persistent.saved(isolation: isolation)
  }

  /// Every save of the application's domain by this process, from now on.
  @_disfavoredOverload
  public var saves: DomainSaves { DomainSaves(of: application) }
}

/// Posted when a save by this process has put changes of a domain on stable storage.
///
/// It has no object; the user info has the domain's name for ``NSUserDefaultsSavedDomain`` and the path of the
/// database's directory for ``NSUserDefaultsSavedDirectory``. Observers may call back. After
/// ``NSUserDefaults/synchronize()`` and a commit the calling thread posts it; after all other saves a thread of the
/// package, one save of a database after the other, and if observers are slower than the saves, the newest thousand of
/// those that wait. The end of the process waits half a second for them.
public let NSUserDefaultsDidSaveNotification = SaveNotification.name
/// The key of the domain's name, a `String`, in the user info of ``NSUserDefaultsDidSaveNotification``.
public let NSUserDefaultsSavedDomain = SaveNotification.domainKey
/// The key of the directory's path, a `String`, in the user info of ``NSUserDefaultsDidSaveNotification``.
public let NSUserDefaultsSavedDirectory = SaveNotification.directoryKey
