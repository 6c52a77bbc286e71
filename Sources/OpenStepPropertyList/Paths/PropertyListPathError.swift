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
  package let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

extension PropertyListPathError: CustomStringConvertible {
  package var description: String { message }
}
