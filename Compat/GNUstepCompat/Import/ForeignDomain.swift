package import DefaultsDatabase
package import OpenStepPropertyList

/// A domain that was found in an old store.
package struct ForeignDomain: Sendable {
  package let name: DomainName
  package let values: [PropertyListKey: PropertyList]
  /// What the file turned out to be.
  package let kind: StoreKind
  /// The file.
  package let path: String

  package init(name: DomainName, values: [PropertyListKey: PropertyList], kind: StoreKind, path: String) {
    self.name = name
    self.values = values
    self.kind = kind
    self.path = path
  }
}
