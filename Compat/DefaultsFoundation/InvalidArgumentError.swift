public import Foundation

/// A call for which OPENSTEP raised the exception NSInvalidArgumentException.
public struct InvalidArgumentError: Error, Sendable, CustomStringConvertible {
  /// What is wrong with the argument, and at which path inside it.
  public let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  public var description: String { reason }
}

extension InvalidArgumentError: LocalizedError {
  public var errorDescription: String? { reason }
}
