public import Foundation

extension Defaults {
  /// A value that could not be read as its key's type, or could not be stored.
  public struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was to be done.
    public enum Operation: Hashable, Sendable {
      /// The stored value was read; it is not of the key's type.
      case read
      /// A value was set; it cannot be stored.
      case set
    }

    /// What was to be done.
    public let operation: Operation
    /// The key's name.
    public let key: String
    /// The key's type, as Swift prints it.
    public let type: String
    /// What is wrong with the value, and where in it.
    public let reason: String

    init(_ operation: Operation, key: String, type: Any.Type, failure: CodingFailure) {
      self.operation = operation
      self.key = key
      self.type = String(describing: type)
      reason = (failure.path.isEmpty ? "it" : failure.path) + " " + failure.reason
    }

    /// The key under which a stored value that cannot be read is kept when the program sets another over it.
    public static func keptAs(_ key: String) -> String { key + ".unreadable" }

    public var description: String {
      switch operation {
      case .read:
        "the value for the key “\(key)” cannot be read as \(type): \(reason); "
          + "it was left as it is, and the key’s default value is used"
      case .set:
        "the value for the key “\(key)”, a \(type), cannot be stored: \(reason); the old one was left as it is"
      }
    }
  }
}

extension Defaults.ValueError: LocalizedError {
  public var errorDescription: String? { description }
}
