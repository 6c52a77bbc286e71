import OpenStepPropertyList

/// Which languages a user prefers, by name and in order.
package enum LanguagePreferences {
  /// The names that stand in the search list, most wanted first; never empty, never one twice.
  ///
  /// The languages are those of `NSLanguages`; else those of the environment variable `LANGUAGE`,
  /// locales separated by colons; else that of the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is
  /// set. English ends the list where it does not stand in it.
  ///
  /// - Parameters:
  ///   - preferred: The value of `NSLanguages`, nil where it is no array of strings. A locale stands
  ///     for its language; what is neither a language nor a locale stays as it is.
  ///   - environment: Gives the value of an environment variable.
  package static func names(preferred: [String]?, environment: (String) -> String?) -> [String] {
    var names = (preferred ?? []).flatMap(self.names(ofPreference:))
    if names.isEmpty {
      names = self.names(ofEnvironment: environment)
    }
    names.append(lastResort)
    return withoutRepetitions(names.map { PropertyListKey($0) }).map(\.text)
  }

  private static func withoutRepetitions(_ names: [PropertyListKey]) -> [PropertyListKey] {
    // Nearly always two or three names; a set would cost a process a tenth of the time to its first lookup,
    // which the runtime takes to find out how its elements are hashed.
    if names.count <= 16 {
      var result: [PropertyListKey] = []
      for name in names where !result.contains(name) { result.append(name) }
      return result
    }
    var seen: Set<PropertyListKey> = []
    return names.filter { seen.insert($0).inserted }
  }

  private static let lastResort = "English"

  private static func names(ofPreference preference: String) -> [String] {
    if preference.isEmpty { return [] }
    if Language.isName(preference) { return [preference] }
    let names = Language.names(ofLocale: preference)
    return names.isEmpty ? [preference] : names
  }

  private static func names(ofEnvironment environment: (String) -> String?) -> [String] {
    let names = (environment("LANGUAGE") ?? "").split(separator: ":").flatMap {
      self.names(ofMessageLocale: $0)
    }
    if !names.isEmpty { return names }
    for variable in ["LC_ALL", "LC_MESSAGES", "LANG"] {
      // A variable that is set decides, also when it names no language; an empty one counts as not set.
      if let locale = environment(variable), !locale.isEmpty {
        return self.names(ofMessageLocale: locale[...])
      }
    }
    return []
  }

  private static func names(ofMessageLocale locale: Substring) -> [String] {
    switch locale.prefix(while: { $0 != "." && $0 != "@" }) {
    case "C", "POSIX": [lastResort]
    default: Language.names(ofLocale: String(locale))
    }
  }
}
