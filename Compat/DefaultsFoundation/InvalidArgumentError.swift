public import Foundation

/// A call for which OPENSTEP raised the exception NSInvalidArgumentException.
public struct InvalidArgumentError: Error, Sendable, CustomStringConvertible {
  /// What is wrong with the argument, and at which path inside it.
  public let reason: String
  /// How many containers a value may nest, if the argument nests more; else nil.
  package let exceededDepth: Int?

  package init(_ reason: String) {
    self.reason = reason
    exceededDepth = nil
  }

  /// Makes the error for more nested containers than a limit.
  package init(_ path: String, nestsMoreThan limit: Int) {
    // The whole path has hundreds of components, all alike.
    reason = "\(path.prefix(80))… nests more than \(limit) arrays and dictionaries"
    exceededDepth = limit
  }

  public var description: String { reason }
}

extension InvalidArgumentError: LocalizedError {
  public var errorDescription: String? { reason }
}
