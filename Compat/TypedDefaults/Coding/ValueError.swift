public import Foundation

extension Defaults {
  /// A value that could not be read as its key's type, or could not be stored.
  public struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation that failed.
    public enum Operation: Hashable, Sendable {
      /// Reading the stored value, which is not of the key's type.
      case read
      /// Setting a value, which cannot be stored.
      case set
    }

    /// The operation that failed.
    public let operation: Operation
    /// The key's name.
    public let key: String
    /// The key's type, as Swift prints it.
    public let type: String
    /// What is wrong with the value, and its path.
    public let reason: String

    init(_ operation: Operation, key: String, type: Any.Type, failure: CodingFailure) {
      self.operation = operation
      self.key = key
      self.type = String(describing: type)
      reason = (failure.path.isEmpty ? "it" : failure.path) + " " + failure.reason
    }

    /// The key under which a stored value that cannot be read is kept when the program sets another value.
    ///
    /// The next ones of the key are kept with “-2” to “-100” behind it; a newer one takes the place of the last of
    /// these.
    public static func keptAs(_ key: String) -> String { key + ".unreadable" }

    public var description: String {
      switch operation {
      case .read:
        "the value for the key “\(key)” cannot be read as \(type): \(reason); "
          + "it was left as it is, and the subscript gives the key’s default value"
      case .set:
        "the value for the key “\(key)”, \(article) \(type), cannot be stored: \(reason); "
          + "the old one was left as it is"
      }
    }

    /// The article before the type's name: “a” before U, since types such as URL and UInt are spoken with a consonant.
    private var article: String { type.first.map("AEIO".contains) == true ? "an" : "a" }
  }
}

extension Defaults.ValueError: LocalizedError {
  public var errorDescription: String? { description }
}
