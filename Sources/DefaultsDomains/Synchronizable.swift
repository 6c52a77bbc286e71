/// An object that is weakly held and synchronized periodically.
package protocol Synchronizable: AnyObject, Sendable {
  /// Writes unsaved changes and reads external ones; false if that failed.
  func synchronize() -> Bool
}
