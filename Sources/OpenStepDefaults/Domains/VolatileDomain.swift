import OpenStepPropertyList

/// A domain that is never saved.
enum VolatileDomain: Sendable {
  /// Values that were set: the argument and registration domains, and those of the program.
  case values([PropertyListKey: PropertyList])
  /// The locale data of a language.
  case language(LanguageDomain)

  func value(for key: PropertyListKey) -> PropertyList? {
    switch self {
    case .values(let values): values[key]
    case .language(let domain): domain.value(for: key)
    }
  }

  var values: [PropertyListKey: PropertyList] {
    switch self {
    case .values(let values): values
    case .language(let domain): domain.values
    }
  }
}
