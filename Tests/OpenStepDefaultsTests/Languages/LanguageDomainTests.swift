import DefaultsDomains
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import OpenStepDefaults

@Suite("LanguageDomain")
struct LanguageDomainTests {
  private static let complete: [PropertyListKey] = [
    "NSLanguageName", "NSLanguageCode", "NSFormalName", "NSWeekDayNameArray", "NSShortWeekDayNameArray",
    "NSMonthNameArray", "NSShortMonthNameArray", "NSAMPMDesignation", "NSTimeFormatString",
    "NSDateFormatString", "NSShortDateFormatString", "NSTimeDateFormatString", "NSShortTimeDateFormatString",
    "NSDateTimeOrdering", "NSDecimalSeparator", "NSThousandsSeparator", "NSDecimalDigits",
  ]

  private static let money: [PropertyListKey] = [
    "NSCurrencySymbol", "NSInternationalCurrencyString", "NSPositiveCurrencyFormatString",
    "NSNegativeCurrencyFormatString",
  ]

  private static let designations: [PropertyListKey] = [
    "NSEarlierTimeDesignations", "NSLaterTimeDesignations", "NSThisDayDesignations", "NSNextDayDesignations",
    "NSNextNextDayDesignations", "NSPriorDayDesignations", "NSYearMonthWeekDesignations",
    "NSHourNameDesignations",
  ]

  private func domain(_ name: String) throws -> LanguageDomain {
    try #require(LanguageDomain(name: name))
  }

  // Swift compares strings in the square of such marks.
  @Test("a list of languages may name what is none, with any number of combining marks")
  func combiningMarks() throws {
    let home = try TemporaryHome()
    let ratio = try growth(from: 10_000, to: 40_000, bound: 10) { count in
      let marks = repeatedMarks(count)
      let list = "(\"n\(marks)\", \"\(marks)\", French)"
      try home.write("{ NSLanguages = \(list); AppleLanguages = \(list); }".utf8, to: "NSGlobalDomain.plist")
      let start = threadTime()
      let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
      #expect(defaults.stringForKey("NSLanguageName") == "French")
      return threadTime() - start
    }
    #expect(ratio < 10, "\(ratio)")
  }

  @Test("the keys are those of OPENSTEP")
  func keys() {
    let all = Self.complete + Self.money + Self.designations + ["NSParentContext"]
    #expect(LanguageDomain.keys == Set(all))
  }

  @Test("English has its names and signs")
  func english() throws {
    let english = try domain("English")
    #expect(english.name == "English")
    #expect(
      english.value(for: "NSMonthNameArray")
        == [
          "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December",
        ])
    #expect(
      english.value(for: "NSShortMonthNameArray")
        == ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])
    #expect(
      english.value(for: "NSWeekDayNameArray")
        == ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"])
    #expect(
      english.value(for: "NSShortWeekDayNameArray") == ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"])
    #expect(english.value(for: "NSAMPMDesignation") == ["AM", "PM"])
    #expect(english.value(for: "NSDecimalSeparator") == ".")
    #expect(english.value(for: "NSThousandsSeparator") == ",")
    #expect(english.value(for: "NSDecimalDigits") == ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"])
    #expect(english.value(for: "NSCurrencySymbol") == "$")
    #expect(english.value(for: "NSInternationalCurrencyString") == "USD")
    #expect(english.value(for: "NSPositiveCurrencyFormatString") == "$9,999.00")
    #expect(english.value(for: "NSLanguageName") == "English")
    #expect(english.value(for: "NSLanguageCode") == "ENG")
    #expect(english.value(for: "NSFormalName") == "English")
    #expect(english.value(for: "NSParentContext") == nil)
    #expect(english.value(for: "NSEarlierTimeDesignations") == ["prior", "last", "past", "ago"])
    #expect(english.value(for: "NSNextNextDayDesignations") == ["nextday"])
    #expect(
      english.value(for: "NSHourNameDesignations")
        == [
          ["0", "midnight"], ["12", "noon", "lunch"], ["10", "morning"], ["14", "afternoon"],
          ["19", "dinner"],
        ])
  }

  @Test("French has its names and signs, spelt as Foundation does")
  func french() throws {
    let french = try domain("French")
    #expect(
      french.value(for: "NSMonthNameArray")
        == [
          "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
          "novembre", "décembre",
        ])
    #expect(
      french.value(for: "NSWeekDayNameArray")
        == ["dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"])
    #expect(french.value(for: "NSDecimalSeparator") == ",")
    #expect(french.value(for: "NSInternationalCurrencyString") == "EUR")
    #expect(french.value(for: "NSLanguageCode") == "FRE")
    #expect(french.value(for: "NSFormalName") == "Français")
    #expect(french.value(for: "NSParentContext") == "Default")
    #expect(french.value(for: "NSTimeFormatString") == "%H:%M:%S")
    #expect(french.value(for: "NSShortDateFormatString") == "%d/%m/%Y")
    #expect(french.value(for: "NSDateTimeOrdering") == "DMYH")
    #expect(french.value(for: "NSThisDayDesignations") == ["Aujourd'hui"])
    #expect(french.value(for: "NSYearMonthWeekDesignations") == ["année", "mois", "semaine"])
    let separator = try #require(french.value(for: "NSThousandsSeparator")?.scalarText)
    #expect(separator.allSatisfy(\.isWhitespace) && separator.count == 1)
  }

  @Test(
    "a language is at home in its own country",
    arguments: [
      ("German", "GER", "Deutsch", "EUR"), ("Portuguese", "POR", "Português", "EUR"),
      ("Japanese", "JPN", "日本語", "JPY"), ("Swedish", "SWE", "Svenska", "SEK"),
      ("Chinese", "CHI", "中文", "CNY"), ("Georgian", "GEO", "ქართული", "GEL"),
    ])
  func home(name: String, code: String, formalName: String, currency: String) throws {
    let domain = try domain(name)
    #expect(domain.value(for: "NSLanguageName") == .string(name))
    #expect(domain.value(for: "NSLanguageCode") == .string(code))
    #expect(domain.value(for: "NSFormalName") == .string(formalName))
    #expect(domain.value(for: "NSInternationalCurrencyString") == .string(currency))
  }

  @Test(
    "a country in the name is asked, and the language is its parent",
    arguments: [
      ("CanadaFrench", "French", "CAD"), ("AmericanEnglish", "English", "USD"),
      ("BritainEnglish", "English", "GBP"), ("SwitzerlandGerman", "German", "CHF"),
      ("BrasilPortuguese", "Portuguese", "BRL"), ("TraditionalChinese", "Chinese", "TWD"),
      ("SimplifiedChinese", "Chinese", "CNY"), ("HongKongChinese", "Chinese", "HKD"),
    ])
  func regions(name: String, parent: String, currency: String) throws {
    let domain = try domain(name)
    #expect(domain.value(for: "NSParentContext") == .string(parent))
    #expect(domain.value(for: "NSInternationalCurrencyString") == .string(currency))
    #expect(
      domain.value(for: "NSLanguageCode") == LanguageDomain(name: parent)?.value(for: "NSLanguageCode"))
  }

  @Test("traditional Chinese is written in its own characters")
  func scripts() throws {
    #expect(try domain("TraditionalChinese").value(for: "NSFormalName") == "繁體中文")
    #expect(try domain("SimplifiedChinese").value(for: "NSFormalName") == "简体中文")
    #expect(try domain("TraditionalChinese").value(for: "NSNextNextDayDesignations") == ["後天"])
    #expect(try domain("Chinese").value(for: "NSNextNextDayDesignations") == ["后天"])
  }

  @Test("dates are in the Gregorian calendar also where another one is usual")
  func gregorian() throws {
    #expect(try domain("Persian").value(for: "NSDateTimeOrdering") == "YMDH")
    guard case .array(let months) = try domain("Thai").value(for: "NSMonthNameArray") else {
      Issue.record("Thai has no months")
      return
    }
    #expect(months.first == "มกราคม")
    #expect(
      try domain("Persian").value(for: "NSMonthNameArray") != domain("English").value(for: "NSMonthNameArray")
    )
  }

  @Test("a language without a country has no currency")
  func noCountry() throws {
    let esperanto = try domain("Esperanto")
    for key in Self.money {
      #expect(esperanto.value(for: key) == nil)
    }
    #expect(esperanto.value(for: "NSDecimalSeparator") == ",")
  }

  @Test(
    "a name that no language has makes no domain",
    arguments: [
      "", "Klingon", "english", "fr", "Canada", "CanadaGerman", "Latin", "English\0", "NSGlobalDomain",
    ])
  func unknownNames(name: String) {
    #expect(LanguageDomain(name: name) == nil)
  }

  @Test("a language goes by its name of today too")
  func otherNames() throws {
    #expect(
      try domain("Galician").value(for: "NSMonthNameArray")
        == domain("Gallegan").value(for: "NSMonthNameArray"))
  }

  @Test("a language without a country is found without the table of all")
  func plainLanguages() {
    for (name, language) in LanguageTable.languages {
      let found = LanguageTable.plainLanguage(named: name)
      #expect(
        (found?.code, found?.plainName) == (language.region == nil ? (language.code, name) : (nil, nil)))
    }
    for name in ["", "e", "Englis", "English,", "en", "NSGlobalDomain", "en English"] {
      #expect(LanguageTable.plainLanguage(named: name) == nil)
    }
  }

  @Test("each language is complete", arguments: LanguageTable.languages.keys.sorted())
  func completeness(name: String) throws {
    let domain = try domain(name)
    let values = domain.values
    #expect(Set(values.keys).isSubset(of: LanguageDomain.keys))
    for key in Self.complete {
      #expect(values[key] != nil, "\(key)")
    }
    #expect(Self.money.filter { values[$0] != nil }.count % Self.money.count == 0)
    #expect(Self.designations.filter { values[$0] != nil }.count % Self.designations.count == 0)
    for (key, value) in values {
      #expect(domain.value(for: key) == value)
      #expect(Self.isText(value), "\(key)")
    }
    for (key, count) in [
      ("NSWeekDayNameArray", 7), ("NSShortWeekDayNameArray", 7), ("NSMonthNameArray", 12),
      ("NSShortMonthNameArray", 12), ("NSAMPMDesignation", 2), ("NSDecimalDigits", 10),
    ] {
      guard case .array(let elements) = values[PropertyListKey(key)] else {
        Issue.record("\(key) is no array")
        continue
      }
      #expect(elements.count == count, "\(key)")
    }
    #expect(
      values["NSMonthNameArray"] != [
        "M01", "M02", "M03", "M04", "M05", "M06", "M07", "M08", "M09", "M10", "M11", "M12",
      ])
    let order = try #require(values["NSDateTimeOrdering"]?.scalarText)
    #expect(order.sorted() == ["D", "H", "M", "Y"])
    #expect(values["NSLanguageCode"]?.scalarText?.count == 3)
  }

  // Not empty, strings, arrays of strings and arrays of those.
  private static func isText(_ value: PropertyList) -> Bool {
    switch value {
    case .string(let text): !text.isEmpty
    case .array(let elements): !elements.isEmpty && elements.allSatisfy(isText)
    default: false
    }
  }

  @Test("every language whose months Foundation can name has a domain")
  func coverage() {
    let codes = Set(
      Locale.availableIdentifiers.compactMap { Locale(identifier: $0).language.languageCode?.identifier })
    #expect(codes.count > 200)
    for code in codes {
      let names = Language.names(ofLocale: code)
      #expect(names.count == 1, "\(code)")
      var calendar = Calendar(identifier: .gregorian)
      calendar.locale = Locale(identifier: code)
      let isNamed = calendar.monthSymbols.first != "M01"
      #expect((LanguageDomain(name: names.first ?? "") != nil) == isNamed, "\(code)")
    }
  }

  @Test("codes and names belong to one language each")
  func uniqueNames() {
    for (code, name) in LanguageTable.namesByCode where code != "iw" {
      #expect(Language.names(ofLocale: code) == [name])
      #expect(Language.isName(name))
      if let language = LanguageTable.languages[name] {
        #expect(language.code == code)
      }
    }
    for (locale, name) in LanguageTable.regionalNames {
      #expect(Language.names(ofLocale: locale).first == name)
    }
  }

  @Test("no locale data is loaded before a key of the domain is asked for")
  func laziness() throws {
    let german = try domain("German")
    #expect(german.value(for: "NSLanguages") == nil)
    #expect(german.value(for: "Count") == nil)
    #expect(german.computedGroups == [])
    #expect(german.value(for: "NSDecimalSeparator") == ",")
    #expect(german.computedGroups == [.numbers])
  }

  @Test("many threads may ask at once")
  func threads() async throws {
    let italian = try domain("Italian")
    let keys = LanguageDomain.keys.sorted()
    let answers = await withTaskGroup(of: [PropertyList?].self) { group in
      for _ in 0..<16 {
        group.addTask { keys.map(italian.value(for:)) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 16)
    #expect(Set(answers).count == 1)
    #expect(answers.first == keys.map { italian.values[$0] })
  }

  @Test("where Foundation would not survive the environment's locale, a domain has none of its data")
  func hostileLocale() async {
    await #expect(processExitsWith: .success) {
      setenv("LC_ALL", "brazilianportuguese", 1)
      let german = try #require(LanguageDomain(name: "German"))
      #expect(german.value(for: "NSLanguageName") == nil && german.value(for: "NSMonthNameArray") == nil)
      #expect(german.value(for: "NSYearMonthWeekDesignations") != nil)
    }
  }

  #if os(Linux)
    // Foundation crashes then.
    @Test("where no file can be opened, a language has no names, and it has them later")
    func lackOfDescriptors() async {
      await #expect(processExitsWith: .success) {
        let english = try #require(LanguageDomain(name: "English"))
        withoutFreeDescriptors {
          for key in LanguageDomain.keys.sorted() where !key.text.hasSuffix("Designations") {
            #expect(english.value(for: key) == nil, "\(key)")
          }
        }
        #expect(english.value(for: "NSDecimalSeparator") == ".")
        #expect(english.value(for: "NSDateTimeOrdering") != nil)
      }
    }
  #endif
}
