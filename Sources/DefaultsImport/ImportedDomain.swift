package import DefaultsDatabase
package import OpenStepPropertyList

/// A domain that was found in an old store.
package struct ImportedDomain: Sendable {
  package let name: DomainName
  package let values: [PropertyListKey: PropertyList]
  /// The kind of the file.
  package let kind: StoreKind
  /// The path of its file.
  package let path: String
  /// Whether the user named the domain, which is then imported even without keys.
  package let isNamed: Bool

  package init(
    name: DomainName, values: [PropertyListKey: PropertyList], kind: StoreKind, path: String,
    isNamed: Bool = false
  ) {
    self.isNamed = isNamed
    self.name = name
    self.values = values
    self.kind = kind
    self.path = path
  }
}
