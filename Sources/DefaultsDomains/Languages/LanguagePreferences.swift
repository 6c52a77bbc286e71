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
    return withoutRepetitions(names)
  }

  private static func withoutRepetitions(_ names: [String]) -> [String] {
    // Nearly always two or three names; a set would cost a process a tenth of the time to its first lookup,
    // which the runtime takes to find out how its elements are hashed.
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
      // A variable that is set decides, also when it names no language; an empty one counts as not set.
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
