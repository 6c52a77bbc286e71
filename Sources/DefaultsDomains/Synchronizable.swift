/// An object that is synchronized from time to time, as long as someone holds it.
package protocol Synchronizable: AnyObject, Sendable {
  /// Writes what is unsaved and reads what others changed; false where that failed.
  func synchronize() -> Bool
}
