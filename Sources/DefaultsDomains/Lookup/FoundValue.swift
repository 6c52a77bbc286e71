package import OpenStepPropertyList

/// A value that a search has found, and the domain in which it lies.
package struct FoundValue: Sendable {
  package let value: PropertyList
  /// The domain; nil for a ``ComputedDomain``.
  package let domain: DomainIdentity?

  package init(_ value: PropertyList, in domain: DomainIdentity?) {
    (self.value, self.domain) = (value, domain)
  }
}

/// What tells a domain of a ``SearchPath`` from all others that exist at the same time.
///
/// Comparing it, unlike keeping the domain itself, does not keep a domain that is searched no more.
package struct DomainIdentity: Equatable, Sendable {
  private let address: UInt

  init(_ table: LookupTable.Reference) {
    address = table.address
  }
}
