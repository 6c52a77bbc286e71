package import OpenStepPropertyList

/// A domain that is never saved.
package struct VolatileDomain: Sendable {
  let contents: Contents

  enum Contents: Sendable {
    /// Stored values: those of the argument and registration domains, and of the program's own domains.
    case values(LookupTable)
    /// Values that are computed when they are asked for.
    case computed(any ComputedDomain)
  }

  /// A domain of stored values.
  package static func values(_ values: [PropertyListKey: PropertyList]) -> VolatileDomain {
    VolatileDomain(contents: .values(LookupTable(values)))
  }

  /// A domain whose values are computed when they are asked for.
  package static func computed(_ domain: any ComputedDomain) -> VolatileDomain {
    VolatileDomain(contents: .computed(domain))
  }

  package func value(for key: PropertyListKey) -> PropertyList? {
    switch contents {
    case .values(let table): table[key]
    case .computed(let domain): domain.value(for: key)
    }
  }

  package var values: [PropertyListKey: PropertyList] {
    switch contents {
    case .values(let table): table.values
    case .computed(let domain): domain.values
    }
  }
}
