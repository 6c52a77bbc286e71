import Testing

@testable import DefaultsDomains

@Suite("LanguagePreferences")
struct LanguagePreferencesTests {
  private func names(preferred: [String]? = nil, _ environment: [String: String] = [:]) -> [String] {
    LanguagePreferences.names(preferred: preferred) { environment[$0] }
  }

  @Test("without any wish the language is English")
  func english() {
    #expect(names() == ["English"])
    #expect(names(preferred: []) == ["English"])
  }

  @Test("English ends the list where it does not stand in it")
  func englishIsAppended() {
    #expect(names(preferred: ["French"]) == ["French", "English"])
    #expect(names(preferred: ["French", "Italian"]) == ["French", "Italian", "English"])
    #expect(names(preferred: ["French", "English", "Italian"]) == ["French", "English", "Italian"])
  }

  @Test("a language that is named twice stands where it was named first")
  func duplicates() {
    #expect(names(preferred: ["French", "French", "English", "English"]) == ["French", "English"])
    #expect(names(preferred: ["fr", "French", "fr_CA"]) == ["French", "CanadaFrench", "English"])
  }

  @Test("NSLanguages comes before the environment, unless it names nothing")
  func preferredBeforeEnvironment() {
    #expect(names(preferred: ["Italian"], ["LANGUAGE": "fr"]) == ["Italian", "English"])
    #expect(names(preferred: [], ["LANGUAGE": "fr"]) == ["French", "English"])
    #expect(names(preferred: [""], ["LANGUAGE": "fr"]) == ["French", "English"])
    #expect(names(preferred: nil, ["LANGUAGE": "fr"]) == ["French", "English"])
  }

  @Test("an ISO code in NSLanguages stands for its language")
  func codes() {
    #expect(names(preferred: ["fr", "de"]) == ["French", "German", "English"])
    #expect(names(preferred: ["fr_CA"]) == ["CanadaFrench", "French", "English"])
    #expect(names(preferred: ["fr-CA"]) == ["CanadaFrench", "French", "English"])
    #expect(names(preferred: ["pt-BR"]) == ["BrasilPortuguese", "Portuguese", "English"])
    #expect(names(preferred: ["zh-Hant"]) == ["TraditionalChinese", "Chinese", "English"])
    #expect(names(preferred: ["zh-Hans"]) == ["SimplifiedChinese", "Chinese", "English"])
    #expect(names(preferred: ["zh-Hant-HK"]) == ["HongKongChinese", "Chinese", "English"])
    #expect(names(preferred: ["sr_Latn_RS"]) == ["Serbian", "English"])
  }

  @Test("what names no language stays in the list as it is")
  func unknownNames() {
    #expect(
      names(preferred: ["Klingon", "xx", "zz_ZZ", "CanadaFrench", "é"])
        == ["Klingon", "xx", "zz_ZZ", "CanadaFrench", "é", "English"])
  }

  @Test("names that differ in their bytes are different names")
  func canonicalEquivalence() {
    let names = names(preferred: ["\u{E9}", "e\u{301}"])
    #expect(names.map { Array($0.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81], Array("English".utf8)])
  }

  // The lists that GNUstep gave for these values.
  @Test(
    "LANGUAGE is a list of locales",
    arguments: [
      ("fr:it", ["French", "Italian", "English"]),
      ("fr_CA:en_GB", ["CanadaFrench", "French", "BritainEnglish", "English"]),
      (
        "fr_FR:es_ES:pt_BR:en_US",
        [
          "French", "SpainSpanish", "Spanish", "BrasilPortuguese", "Portuguese", "AmericanEnglish", "English",
        ]
      ),
      (
        "de_CH:nl_BE:zh_TW:zh_CN:sv",
        [
          "SwitzerlandGerman", "German", "BelgiumDutch", "Dutch", "TraditionalChinese", "Chinese",
          "SimplifiedChinese", "Swedish", "English",
        ]
      ),
      (
        "pt_PT:en_AU:en_CA:de_DE:de_AT",
        ["Portuguese", "AustraliaEnglish", "English", "CanadaEnglish", "German", "AustriaGerman"]
      ),
      (
        "es_MX:es_AR:nb_NO:nn_NO:no",
        [
          "MexicoSpanish", "Spanish", "ArgentinaSpanish", "NorwegianBokmal", "NorwegianNynorsk", "Norwegian",
          "English",
        ]
      ),
      (
        "uk_UA:ru_RU:pl_PL:cs_CZ:sk_SK:hu_HU:ja_JP:ko_KR",
        ["Ukrainian", "Russian", "Polish", "Czech", "Slovak", "Hungarian", "Japanese", "Korean", "English"]
      ),
      ("zh:zh_HK:zh_SG", ["Chinese", "HongKongChinese", "SingaporeChinese", "English"]),
      ("nl_NL:el_GR:el_CY", ["NetherlandsDutch", "Dutch", "GreeceGreek", "Greek", "English"]),
      ("de_LI:fr_MC:es_US", ["German", "French", "USASpanish", "Spanish", "English"]),
      ("gl:kl:la:mi:iw", ["Gallegan", "Greenlandic", "Latin", "Maori", "Hebrew", "English"]),
      ("de_DE.UTF-8@euro", ["German", "English"]),
      ("fr_CA.UTF-8@x", ["CanadaFrench", "French", "English"]),
      ("sr_RS@latin:fr_XX", ["Serbian", "French", "English"]),
      ("C:fr", ["English", "French"]),
      ("C.UTF-8:fr", ["English", "French"]),
      ("POSIX:fr", ["English", "French"]),
      ("xx:fr:qq_FR", ["French", "English"]),
      ("FR:Fr_fr:en_us", ["English"]),
    ])
  func languageVariable(value: String, expected: [String]) {
    #expect(names(["LANGUAGE": value]) == expected)
  }

  @Test("nothing between colons is nothing")
  func emptyEntries() {
    #expect(names(["LANGUAGE": "::fr::"]) == ["French", "English"])
    #expect(names(["LANGUAGE": ":::", "LANG": "it_IT"]) == ["Italian", "English"])
  }

  @Test("a word that only begins like a code names no language")
  func prefixes() {
    // GNUstep takes the first two letters of "swedish" for Swahili.
    #expect(names(["LANGUAGE": "swedish"]) == ["English"])
  }

  @Test("the message locale comes from LC_ALL, then LC_MESSAGES, then LANG")
  func messageLocale() {
    #expect(names(["LANG": "fr_FR"]) == ["French", "English"])
    #expect(names(["LANG": "es_ES.UTF-8"]) == ["SpainSpanish", "Spanish", "English"])
    #expect(names(["LANG": "pt_BR"]) == ["BrasilPortuguese", "Portuguese", "English"])
    #expect(names(["LANG": "en_US.UTF-8"]) == ["AmericanEnglish", "English"])
    #expect(names(["LANG": "fr", "LC_MESSAGES": "it"]) == ["Italian", "English"])
    #expect(names(["LANG": "fr", "LC_MESSAGES": "it", "LC_ALL": "de"]) == ["German", "English"])
    #expect(names(["LC_TIME": "fr_FR"]) == ["English"])
  }

  @Test("LANGUAGE comes before the message locale, and an empty variable counts as not set")
  func precedence() {
    #expect(names(["LANGUAGE": "it", "LC_ALL": "fr_FR"]) == ["Italian", "English"])
    #expect(names(["LANGUAGE": "", "LC_ALL": "", "LANG": "fr_FR"]) == ["French", "English"])
  }

  @Test(
    "a message locale without a language hides those behind it",
    arguments: ["C", "POSIX", "C.UTF-8", "xx_XX"])
  func noLanguage(locale: String) {
    #expect(names(["LC_ALL": locale, "LANG": "fr_FR"]) == ["English"])
  }

  @Test(
    "odd values give a list and no crash",
    arguments: ["_", "-", ".", "@", "_CA", "fr_", "fr__CA", "zh_", "\0"])
  func oddValues(value: String) {
    let environment = names(["LANGUAGE": value])
    #expect(environment.last == "English")
    let preferred = names(preferred: [value])
    #expect(preferred.last == "English")
    #expect(preferred.count >= 2)
  }
}
