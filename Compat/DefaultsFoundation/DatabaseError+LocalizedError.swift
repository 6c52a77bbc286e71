public import DefaultsDatabase
public import Foundation

/// For those who show errors by Foundation's `localizedDescription`.
extension DatabaseError: LocalizedError {
  public var errorDescription: String? { description }
}
