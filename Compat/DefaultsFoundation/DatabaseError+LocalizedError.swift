public import DefaultsDatabase
public import Foundation

/// For programs that show errors by Foundation's `localizedDescription`.
extension DatabaseError: LocalizedError {
  public var errorDescription: String? { description }
}
