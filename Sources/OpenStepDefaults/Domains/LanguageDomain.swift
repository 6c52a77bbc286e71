import OpenStepPropertyList

enum LanguagePreferences {
  static func names(preferred: [String]?, environment: (String) -> String?) -> [String] { ["English"] }
}

final class LanguageDomain: Sendable {
  init?(name: String) { nil }
  func value(for key: PropertyListKey) -> PropertyList? { nil }
  var values: [PropertyListKey: PropertyList] { [:] }
}
