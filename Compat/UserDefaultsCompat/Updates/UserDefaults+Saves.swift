public import DefaultsDomains
import DefaultsFoundation
public import Foundation

/// Receipts: when changes are on stable storage.
extension UserDefaultsAdditions {
  /// Returns when everything that was set before, in any domain of this object's database, is on stable storage.
  ///
  /// ```swift
  /// defaults.set("1.2", forKey: "Installed")
  /// try await defaults.saved()
  /// ```
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
    try await store.user.saved(isolation: isolation)
  }

  /// Every save of this object's own domain by this process, from now on.
  @_disfavoredOverload
  public var saves: DomainSaves { DomainSaves(of: store.application) }
}

extension UserDefaults {
  /// Posted when a save by this process has put changes of a domain on stable storage.
  ///
  /// It has no object; the user info has the domain's name for ``savedDomainKey`` and the path of the database's
  /// directory for ``savedDirectoryKey``. Observers may call back. After ``synchronize()`` and a commit the calling
  /// thread posts it; after all other saves, an asynchronous commit's included, a thread of the package, one save of a
  /// database after the other, and if observers are slower than the saves, the newest thousand of those that wait. The
  /// classic class posts it too.
  public static let didSaveNotification = SaveNotification.name
  /// The key of the domain's name, a `String`, in the user info of ``didSaveNotification``.
  public static let savedDomainKey = SaveNotification.domainKey
  /// The key of the directory's path, a `String`, in the user info of ``didSaveNotification``.
  public static let savedDirectoryKey = SaveNotification.directoryKey
}
