import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList

/// The keys of a language domain, grouped by the source of their values.
enum LanguageKeyGroup: CaseIterable {
  case identity
  case calendar
  case dateFormats
  case numbers
  case designations

  /// The group of each key.
  static let groupsByKey: [PropertyListKey: LanguageKeyGroup] = {
    var groups: [PropertyListKey: LanguageKeyGroup] = [:]
    for group in allCases {
      for key in group.keys {
        groups[key] = group
      }
    }
    return groups
  }()

  /// The values of this group for a language; keys without a value are left out. nil where they cannot be found out for the
  /// moment.
  func values(for language: Language) -> [PropertyListKey: PropertyList]? {
    if self != .designations {
      if !LanguageLocale.hasData { return [:] }
      // Foundation of Swift 6.3 crashes on Linux at the data of any locale where no descriptor is free.
      if !CurrentProcess.hasFreeDescriptor { return nil }
    }
    return switch self {
    case .identity: LanguageLocale(language).identity
    case .calendar: LanguageLocale(language).calendarNames
    case .dateFormats: LanguageLocale(language).dateFormats
    case .numbers: LanguageLocale(language).numbers
    case .designations: LanguageDesignations(language)?.values ?? [:]
    }
  }

  private var keys: [PropertyListKey] {
    switch self {
    case .identity:
      ["NSLanguageName", "NSLanguageCode", "NSFormalName", "NSParentContext"]
    case .calendar:
      [
        "NSWeekDayNameArray", "NSShortWeekDayNameArray", "NSMonthNameArray", "NSShortMonthNameArray",
        "NSAMPMDesignation",
      ]
    case .dateFormats:
      [
        "NSTimeFormatString", "NSDateFormatString", "NSShortDateFormatString", "NSTimeDateFormatString",
        "NSShortTimeDateFormatString", "NSDateTimeOrdering",
      ]
    case .numbers:
      [
        "NSCurrencySymbol", "NSInternationalCurrencyString", "NSPositiveCurrencyFormatString",
        "NSNegativeCurrencyFormatString", "NSDecimalSeparator", "NSThousandsSeparator", "NSDecimalDigits",
      ]
    case .designations:
      [
        "NSEarlierTimeDesignations", "NSLaterTimeDesignations", "NSThisDayDesignations",
        "NSNextDayDesignations", "NSNextNextDayDesignations", "NSPriorDayDesignations",
        "NSYearMonthWeekDesignations", "NSHourNameDesignations",
      ]
    }
  }
}
