public import Foundation

/// A call that OPENSTEP answers with an exception of the name NSInvalidArgumentException.
public struct InvalidArgumentError: Error, Sendable, CustomStringConvertible {
  /// What is wrong with the argument, and where in it.
  public let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  public var description: String { reason }
}

extension InvalidArgumentError: LocalizedError {
  public var errorDescription: String? { reason }
}
