package import DefaultsDatabase
import OpenStepPropertyList

/// What an import has to tell of a file, a domain or a key; one line.
package struct ImportRemark: Hashable, Sendable {
  /// How much it weighs.
  package enum Weight: Hashable, Sendable {
    /// Nothing is lost; it may matter all the same.
    case note
    /// Something was not carried, or not exactly.
    case loss
    /// Something went wrong; the kind says what.
    case failure(DatabaseError.Kind)
  }

  package let weight: Weight
  /// Where, and what is so there.
  package let text: String

  /// Tells of a file.
  package init(_ weight: Weight, path: String, _ message: String) {
    self.weight = weight
    text = "\(path): \(message)"
  }

  /// Tells of a key.
  init(_ weight: Weight, path: String, key: PropertyListKey, of domain: String, _ message: String) {
    self.init(weight, path: path, "the key “\(key)” of the domain “\(domain)” \(message)")
  }

  /// Tells of a file that was refused, is damaged or cannot be read.
  package init(_ error: DatabaseError) {
    weight = error.kind == .refused || error.kind == .refusedName ? .loss : .failure(error.kind)
    text = error.description
  }
}
