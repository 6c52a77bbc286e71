import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList

/// A language's data in Foundation's locales, under OPENSTEP's keys.
struct LanguageLocale {
  private let language: Language
  private let locale: Locale
  // The identifier that gives the language's own name: with a country only if the name has one.
  private let nameIdentifier: String

  /// Finds the locale of a language, in the country of its name, or else in the language's home country.
  init(_ language: Language) {
    self.language = language
    let region = language.region ?? Self.homeRegion(of: language.code)
    var words = [language.code]
    if language.code == "zh" {
      words.append(region == "TW" || region == "HK" ? "Hant" : "Hans")
    }
    switch (language.code, language.region) {
    case ("zh", "TW"), ("zh", "CN"): nameIdentifier = words.joined(separator: "_")
    case (let code, let region?): nameIdentifier = "\(code)_\(region)"
    case (let code, nil): nameIdentifier = code
    }
    if let region {
      words.append(region)
    }
    locale = Locale(identifier: words.joined(separator: "_"))
  }

  /// Whether Foundation can give a language's data in this process.
  ///
  /// On Linux, Foundation of Swift 6.3 crashes at the data of any locale if the environment's locale has a language of
  /// more than 11 characters; no language's code has more than eight.
  static let hasData = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap(CurrentProcess.preference).allSatisfy {
    $0.utf8.prefix { !"_-.@".utf8.contains($0) }.count <= 11
  }

  private static func homeRegion(of code: String) -> String? {
    // Foundation takes the country with the most speakers; in OPENSTEP "Portuguese" is Portugal's.
    if code == "pt" { return "PT" }
    let likely = Locale.Language(identifier: Locale.Language(identifier: code).maximalIdentifier)
    guard let region = likely.region?.identifier, region.allSatisfy(\.isLetter) else { return nil }
    return region
  }
}

// MARK: - The language itself

extension LanguageLocale {
  /// Its English name, its three-letter code, its own name, and the domain that it refines.
  var identity: [PropertyListKey: PropertyList] {
    var values: [PropertyListKey: PropertyList] = ["NSLanguageName": .string(language.name)]
    let code = language.code
    if let threeLetters = Self.bibliographicCodes[code] ?? Locale.LanguageCode(code).identifier(.alpha3) {
      values["NSLanguageCode"] = .string(threeLetters.uppercased())
    }
    let ownName =
      nameIdentifier == code
      ? locale.localizedString(forLanguageCode: code)
      : locale.localizedString(forIdentifier: nameIdentifier)
    if let ownName, let initial = ownName.unicodeScalars.first {
      values["NSFormalName"] = .string(
        initial.properties.titlecaseMapping + String(ownName.unicodeScalars.dropFirst()))
    }
    if language.region != nil {
      values["NSParentContext"] = .string(language.plainName)
    } else if code != "en" {
      values["NSParentContext"] = "Default"
    }
    return values
  }

  // ISO 639-2 has two codes for these: Foundation gives the code from the language's own name, OPENSTEP used
  // the code from its English name.
  private static let bibliographicCodes = [
    "bo": "tib", "cs": "cze", "cy": "wel", "de": "ger", "el": "gre", "eu": "baq", "fa": "per",
    "fr": "fre", "hy": "arm", "is": "ice", "ka": "geo", "mi": "mao", "mk": "mac", "ms": "may",
    "my": "bur", "nl": "dut", "ro": "rum", "sk": "slo", "sq": "alb", "zh": "chi",
  ]
}

// MARK: - Dates

extension LanguageLocale {
  // OPENSTEP's formats know the Gregorian calendar only.
  private var gregorianLocale: Locale {
    Locale(identifier: locale.identifier + "@calendar=gregorian")
  }

  private var gregorian: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.locale = gregorianLocale
    return calendar
  }

  /// The names of days and months, in the form for dates, and of the halves of a day.
  var calendarNames: [PropertyListKey: PropertyList] {
    let calendar = gregorian
    return [
      "NSWeekDayNameArray": Self.strings(calendar.weekdaySymbols),
      "NSShortWeekDayNameArray": Self.strings(calendar.shortWeekdaySymbols),
      "NSMonthNameArray": Self.strings(calendar.monthSymbols),
      "NSShortMonthNameArray": Self.strings(calendar.shortMonthSymbols),
      "NSAMPMDesignation": Self.strings([calendar.amSymbol, calendar.pmSymbol]),
    ]
  }

  /// The formats of dates and times, and the order of a short date's numbers.
  var dateFormats: [PropertyListKey: PropertyList] {
    let formatter = DateFormatter()
    formatter.locale = gregorianLocale
    formatter.calendar = gregorian
    func pattern(_ date: DateFormatter.Style, _ time: DateFormatter.Style) -> LanguageDatePattern {
      formatter.dateStyle = date
      formatter.timeStyle = time
      return LanguageDatePattern(formatter.dateFormat ?? "")
    }
    let everything = DateFormatter.dateFormat(
      fromTemplate: "EEEdMMMyjmsZ", options: 0, locale: gregorianLocale)
    let shortDate = pattern(.short, .none)
    let formats: [(PropertyListKey, String)] = [
      ("NSTimeFormatString", pattern(.none, .medium).openStepFormat),
      ("NSDateFormatString", pattern(.full, .none).openStepFormat),
      ("NSShortDateFormatString", shortDate.openStepFormat),
      ("NSTimeDateFormatString", LanguageDatePattern(everything ?? "").openStepFormat),
      ("NSShortTimeDateFormatString", pattern(.medium, .short).openStepFormat),
      ("NSDateTimeOrdering", shortDate.numberOrder + "H"),
    ]
    return formats.reduce(into: [:]) { values, format in
      if !format.1.isEmpty { values[format.0] = .string(format.1) }
    }
  }
}

// MARK: - Numbers

extension LanguageLocale {
  /// The signs of numbers, and the country's currency; no currency for a language without a country.
  var numbers: [PropertyListKey: PropertyList] {
    var values: [PropertyListKey: PropertyList] = [:]
    values["NSDecimalSeparator"] = locale.decimalSeparator.map(PropertyList.string)
    values["NSThousandsSeparator"] = locale.groupingSeparator.map(PropertyList.string)
    let digits = NumberFormatter()
    digits.locale = locale
    digits.numberStyle = .none
    values["NSDecimalDigits"] = Self.strings((0...9).compactMap { digits.string(from: NSNumber(value: $0)) })

    guard let currency = locale.currency?.identifier, let symbol = locale.currencySymbol else {
      return values
    }
    values["NSInternationalCurrencyString"] = .string(currency)
    values["NSCurrencySymbol"] = .string(symbol)
    let amounts = NumberFormatter()
    amounts.locale = locale
    amounts.numberStyle = .currency
    if let positive = amounts.positiveFormat, let negative = amounts.negativeFormat {
      values["NSPositiveCurrencyFormatString"] = .string(
        Self.openStepFormat(ofAmounts: positive, symbol: symbol))
      // A pattern without a negative part gets the sign in front of the positive one.
      values["NSNegativeCurrencyFormatString"] = .string(
        Self.openStepFormat(ofAmounts: negative == positive ? "-" + positive : negative, symbol: symbol))
    }
    return values
  }

  // OPENSTEP showed the places of digits by an example, always with English separators: 9,999.00.
  private static func openStepFormat(ofAmounts pattern: String, symbol: String) -> String {
    var format = ""
    var places = ""
    func example() -> String {
      guard !places.isEmpty else { return "" }
      let whole = places.contains(",") ? "9,999" : "9999"
      guard let point = places.lastIndex(of: ".") else { return whole }
      return whole + places[point...]
    }
    for scalar in pattern.unicodeScalars {
      switch scalar {
      case "#", "0", ",", ".":
        places.unicodeScalars.append(scalar)
        continue
      default:
        format += example()
        places = ""
      }
      switch scalar {
      case "¤": format += symbol
      case "'": continue
      default: format.unicodeScalars.append(LanguageDatePattern.plainSpace(scalar))
      }
    }
    return format + example()
  }

  private static func strings(_ texts: [String]) -> PropertyList {
    .array(texts.map(PropertyList.string))
  }
}
