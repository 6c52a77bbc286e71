/// Why a path leads to no value of a property list.
package struct PropertyListPathError: Error, Hashable, Sendable {
  /// The kinds of such errors.
  package enum Kind: Hashable, Sendable {
    /// There is no such entry or element.
    case absent
    /// A step does not fit the value that it is taken from: a key of an array, or an index of a dictionary or
    /// of a scalar.
    case mismatch
    /// There is no place for a new value.
    case noPlace
  }

  /// The kind of error.
  package let kind: Kind
  /// What is wrong, as a clause that names the step and what is there.
  package let reason: String
  /// The step that would do, as a clause, for who may choose another one; empty for none.
  private let remedy: String
  /// What is wrong, and which step would do.
  package var message: String { remedy.isEmpty ? reason : "\(reason); \(remedy)" }

  init(_ kind: Kind, _ reason: String, remedy: String = "") {
    self.kind = kind
    self.reason = reason
    self.remedy = remedy
  }
}

extension PropertyListPathError: CustomStringConvertible {
  package var description: String { message }
}
