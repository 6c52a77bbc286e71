import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// The volatile domain of one language: its names of days and months, its formats and signs.
///
/// Foundation's locale data is slow to load, so it is used only when a key of this domain is looked up, and
/// only for the group of keys to which this key belongs.
final class LanguageDomain: ComputedDomain {
  /// The name of the language and of the domain.
  let name: String

  private let language: Language
  private let state = Lock(State())

  // A type of its own: a dictionary's type would have to be created with the object,
  // and not at the first use.
  private struct State {
    var computed: [LanguageKeyGroup: [PropertyListKey: PropertyList]] = [:]
  }

  /// Makes the domain of a language; nil if Foundation knows no language of that name.
  init?(name: String) {
    guard let language = Language(name: name) else { return nil }
    self.name = name
    self.language = language
  }

  /// Every key that the domain of any language may have.
  static let keys = Set(LanguageKeyGroup.groupsByKey.keys)

  /// The value of a key; nil if this language has none.
  ///
  /// - Complexity: O(1), after the first lookup of a key in its group.
  func value(for key: PropertyListKey) -> PropertyList? {
    // Each search for a key that no earlier domain has reaches this place: comparing the
    // prefix is faster than hashing.
    guard key.text.utf8.starts(with: "NS".utf8), let group = LanguageKeyGroup.groupsByKey[key] else {
      return nil
    }
    return values(of: group)[key]
  }

  /// All keys and values of this language.
  var values: [PropertyListKey: PropertyList] {
    LanguageKeyGroup.allCases.reduce(into: [:]) { all, group in
      all.merge(values(of: group)) { first, _ in first }
    }
  }

  /// The groups whose keys have been looked up so far.
  var computedGroups: Set<LanguageKeyGroup> {
    state.withLock { Set($0.computed.keys) }
  }

  private func values(of group: LanguageKeyGroup) -> [PropertyListKey: PropertyList] {
    state.withLock { state in
      if let values = state.computed[group] { return values }
      guard let values = group.values(for: language) else { return [:] }
      state.computed[group] = values
      return values
    }
  }
}
