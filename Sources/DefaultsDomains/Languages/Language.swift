/// A language: its name in OPENSTEP, and the codes by which Foundation knows it.
package struct Language: Sendable {
  /// The name in search lists: `French`, `CanadaFrench`, `TraditionalChinese`.
  package let name: String
  /// The name without a country: `French`, also for `CanadaFrench`.
  package let plainName: String
  /// The ISO 639 code.
  package let code: String
  /// The ISO 3166 code of the country in the name; nil if the name has none.
  package let region: String?
}

extension Language {
  /// The language of a name; nil if Foundation has no data for it.
  package init?(name: String) {
    guard Language.mayBeName(name),
      let language = LanguageTable.plainLanguage(named: name) ?? LanguageTable.languages[name]
    else { return nil }
    self = language
  }

  /// Whether a name is a language's, even if Foundation has no data for it.
  package static func isName(_ name: String) -> Bool {
    mayBeName(name) && (LanguageTable.languages[name] != nil || LanguageTable.namesWithoutData.contains(name))
  }

  /// Whether a text is short enough for a name: a look for it in a table takes a time that grows with the square of its
  /// combining marks.
  private static func mayBeName(_ text: String) -> Bool { text.utf8.count <= 255 }

  /// The names of a locale's language, the name with its country first; empty for an unknown language.
  ///
  /// A locale has one of the forms in environment variables and in lists of languages: `fr`, `fr_CA`,
  /// `fr-CA`, `fr_CA.UTF-8@euro`, `zh-Hant-TW`. A country without a name of its own in that language adds
  /// none.
  package static func names(ofLocale locale: String) -> [String] {
    guard mayBeName(locale) else { return [] }
    let subtags = locale.prefix { $0 != "." && $0 != "@" }.split { $0 == "_" || $0 == "-" }
    guard let code = subtags.first.map(String.init), let plain = LanguageTable.namesByCode[code] else {
      return []
    }
    var region = subtags.dropFirst().first { $0.utf8.count == 2 && $0.utf8.allSatisfy(isUppercase) }
    if code == "zh", region == nil {
      // The names for the scripts of Chinese are those of a country that uses the script.
      region = subtags.contains("Hant") ? "TW" : subtags.contains("Hans") ? "CN" : nil
    }
    guard let region, let regional = LanguageTable.regionalNames["\(code)_\(region)"] else { return [plain] }
    return [regional, plain]
  }

  private static func isUppercase(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}
