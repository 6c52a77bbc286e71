public import OpenStepPropertyList

/// How readers that do not know all our types see a value.
extension PropertyList {
  /// The value as GNUstep's format holds it: single-precision numbers are double-precision ones.
  public var floatsAsReals: PropertyList {
    mapScalars { if case .float(let value) = $0 { .real(Double(value)) } else { $0 } }
  }

  /// The value as a reader without types sees it: every typed scalar is a string.
  public var classic: PropertyList {
    mapScalars { value in value.scalarText.map { .string($0) } ?? value }
  }

  /// Whether a dictionary in the value has keys that Swift's strings, and so Foundation's dictionaries,
  /// take for one.
  public var hasCanonicallyEqualKeys: Bool {
    switch self {
    case .array(let elements): elements.contains(where: \.hasCanonicallyEqualKeys)
    case .dictionary(let entries):
      Set(entries.keys.map(\.text)).count < entries.count
        || entries.values.contains(where: \.hasCanonicallyEqualKeys)
    default: false
    }
  }

  private func mapScalars(_ transform: (PropertyList) -> PropertyList) -> PropertyList {
    switch self {
    case .array(let elements): .array(elements.map { $0.mapScalars(transform) })
    case .dictionary(let entries): .dictionary(entries.mapValues { $0.mapScalars(transform) })
    default: transform(self)
    }
  }
}
