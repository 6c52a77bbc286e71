import OpenStepPropertyList
import Testing

@testable import OpenStepDefaults

struct LanguageConstantsTests {
  @Test("every key of the language domains has a constant of its name")
  func constants() {
    let constants = [
      NSAMPMDesignation, NSCurrencySymbol, NSDateFormatString, NSDateTimeOrdering, NSDecimalDigits,
      NSDecimalSeparator, NSEarlierTimeDesignations, NSFormalName, NSHourNameDesignations,
      NSInternationalCurrencyString, NSLanguageCode, NSLanguageName, NSLaterTimeDesignations,
      NSMonthNameArray, NSNegativeCurrencyFormatString, NSNextDayDesignations, NSNextNextDayDesignations,
      NSParentContext, NSPositiveCurrencyFormatString, NSPriorDayDesignations, NSShortDateFormatString,
      NSShortMonthNameArray, NSShortTimeDateFormatString, NSShortWeekDayNameArray, NSThisDayDesignations,
      NSThousandsSeparator, NSTimeDateFormatString, NSTimeFormatString, NSWeekDayNameArray,
      NSYearMonthWeekDesignations,
    ]
    #expect(Set(constants.map { PropertyListKey($0) }) == LanguageDomain.keys)
  }
}
