package import OpenStepPropertyList

extension SearchPath {
  /// A domain that is searched.
  package enum Domain: Sendable {
    case persistent(PersistentDomain)
    case volatile(VolatileDomain)

    package func value(for key: PropertyListKey) -> PropertyList? {
      switch self {
      case .persistent(let domain): domain.value(for: key)
      case .volatile(let domain): domain.value(for: key)
      }
    }

    /// Whether a key has a value, which is not parsed for that.
    package func hasValue(for key: PropertyListKey) -> Bool {
      switch self {
      case .persistent(let domain): domain.hasValue(for: key)
      case .volatile(let domain): domain.value(for: key) != nil
      }
    }

    package var values: [PropertyListKey: PropertyList] {
      switch self {
      case .persistent(let domain): domain.values
      case .volatile(let domain): domain.values
      }
    }

    /// What tells the domain from others; nil for a ``ComputedDomain``.
    package var identity: DomainIdentity? { step.identity }

    /// The step of a search in this domain.
    var step: SearchedTables.Step {
      switch self {
      case .persistent(let domain): .table(domain.table.reference)
      case .volatile(let domain):
        switch domain.contents {
        case .values(let stored): .table(stored.reference)
        case .computed: .computed
        }
      }
    }
  }
}

extension PersistentDomain {
  /// What tells the domain from others that are searched.
  package var identity: DomainIdentity { DomainIdentity(table.reference) }
}
