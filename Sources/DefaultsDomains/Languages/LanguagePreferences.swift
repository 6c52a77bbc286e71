import OpenStepPropertyList

/// The languages that a user prefers, by name and in order.
package enum LanguagePreferences {
  /// The names for the search list, the preferred ones first; never empty, and each only once.
  ///
  /// The languages are those of `NSLanguages`; else those of the environment variable `LANGUAGE`, which holds
  /// locales separated by colons; else that of the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set.
  /// English is added at the end if it is missing.
  ///
  /// - Parameters:
  ///   - preferred: The value of `NSLanguages`; nil if it is not an array of strings. A locale means its
  ///     language; a text that is neither a language nor a locale remains unchanged.
  ///   - environment: Gives the value of an environment variable.
  package static func names(preferred: [String]?, environment: (String) -> String?) -> [String] {
    var names = (preferred ?? []).flatMap(self.names(ofPreference:))
    if names.isEmpty {
      names = self.names(ofEnvironment: environment)
    }
    names.append(lastResort)
    return withoutRepetitions(names)
  }

  private static func withoutRepetitions(_ names: [String]) -> [String] {
    // Nearly always two or three names, for which a set would take long (Architecture, “Start-up”).
    if names.count <= 16 {
      var result: [String] = []
      for name in names where !result.contains(where: { PropertyListKey($0) == PropertyListKey(name) }) {
        result.append(name)
      }
      return result
    }
    var seen: Set<PropertyListKey> = []
    return names.filter { seen.insert(PropertyListKey($0)).inserted }
  }

  private static let lastResort = "English"

  private static func names(ofPreference preference: String) -> [String] {
    if preference.isEmpty { return [] }
    if Language.isName(preference) { return [preference] }
    let names = Language.names(ofLocale: preference)
    return names.isEmpty ? [preference] : names
  }

  private static func names(ofEnvironment environment: (String) -> String?) -> [String] {
    if let languages = environment("LANGUAGE") {
      let names = languages.split(separator: ":").flatMap { self.names(ofMessageLocale: String($0)) }
      if !names.isEmpty { return names }
    }
    for variable in ["LC_ALL", "LC_MESSAGES", "LANG"] {
      // The first variable that is set decides, even if it names no language; an empty one counts as not set.
      if let locale = environment(variable), !locale.isEmpty {
        return self.names(ofMessageLocale: locale)
      }
    }
    return []
  }

  private static func names(ofMessageLocale locale: String) -> [String] {
    let name = locale.utf8.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }
    let isPlain = name.elementsEqual("C".utf8) || name.elementsEqual("POSIX".utf8)
    return isPlain ? [lastResort] : Language.names(ofLocale: locale)
  }
}
