import OpenStepPropertyList

/// A domain that is never saved.
package struct VolatileDomain: Sendable {
  let contents: Contents

  enum Contents: Sendable {
    /// Values that were set: the argument and registration domains, and those of the program.
    case values(LookupTable)
    /// The locale data of a language.
    case language(LanguageDomain)
  }

  /// A domain of values, which stay.
  static func values(_ values: [PropertyListKey: PropertyList]) -> VolatileDomain {
    VolatileDomain(contents: .values(LookupTable(values)))
  }

  static func language(_ domain: LanguageDomain) -> VolatileDomain {
    VolatileDomain(contents: .language(domain))
  }

  func value(for key: PropertyListKey) -> PropertyList? {
    switch contents {
    case .values(let table): table[key]
    case .language(let domain): domain.value(for: key)
    }
  }

  var values: [PropertyListKey: PropertyList] {
    switch contents {
    case .values(let table): table.values
    case .language(let domain): domain.values
    }
  }
}
