package import DefaultsDatabase
import OpenStepPropertyList

/// One line of an import's report about a file, a domain or a key.
package struct ImportRemark: Hashable, Sendable {
  /// The severity of a remark.
  package enum Weight: Hashable, Sendable {
    /// Nothing is lost, but it may matter.
    case note
    /// Something was not imported, or not exactly.
    case loss
    /// Something failed; the kind says what.
    case failure(DatabaseError.Kind)
  }

  package let weight: Weight
  /// The place and what is to be said about it.
  package let text: String

  /// A remark about a file.
  package init(_ weight: Weight, path: String, _ message: String) {
    self.weight = weight
    text = "\(path): \(message)"
  }

  /// A remark about a key.
  init(_ weight: Weight, path: String, key: PropertyListKey, of domain: String, _ message: String) {
    self.init(weight, path: path, "the key “\(key)” of the domain “\(domain)” \(message)")
  }

  /// A remark about a file that was refused, is damaged or cannot be read.
  package init(_ error: DatabaseError) {
    weight = error.kind == .refused || error.kind == .refusedName ? .loss : .failure(error.kind)
    text = error.description
  }
}
