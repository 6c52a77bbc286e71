// The names are OPENSTEP's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The keys of the language domains. A format has OPENSTEP's notation: %A for a weekday's name, %B for a
// month's, %d, %m, %Y, %H, %M and %S for numbers, and so on.

/// Two strings: the designations of morning and afternoon in twelve-hour times.
public let NSAMPMDesignation = "NSAMPMDesignation"
/// The sign of the currency, for example "$".
public let NSCurrencySymbol = "NSCurrencySymbol"
/// The format of a date with the names of weekday and month.
public let NSDateFormatString = "NSDateFormatString"
/// The order of day, month, year and hour in a date that is parsed, for example "MDYH".
public let NSDateTimeOrdering = "NSDateTimeOrdering"
/// Ten strings: the digits from zero to nine.
public let NSDecimalDigits = "NSDecimalDigits"
/// The decimal separator of numbers.
public let NSDecimalSeparator = "NSDecimalSeparator"
/// Words for an earlier time, for example "ago".
public let NSEarlierTimeDesignations = "NSEarlierTimeDesignations"
/// The language's own name for itself.
public let NSFormalName = "NSFormalName"
/// Arrays of an hour and the words for it, for example 12 and "noon".
public let NSHourNameDesignations = "NSHourNameDesignations"
/// The three letters of the currency, for example "USD".
public let NSInternationalCurrencyString = "NSInternationalCurrencyString"
/// The three letters of the language, for example "ENG".
public let NSLanguageCode = "NSLanguageCode"
/// The English name of the language.
public let NSLanguageName = "NSLanguageName"
/// The preferred languages, in order: an array of names such as "French", set by the user.
public let NSLanguages = "NSLanguages"
/// Words for a later time, for example "next".
public let NSLaterTimeDesignations = "NSLaterTimeDesignations"
/// Twelve strings: the names of the months.
public let NSMonthNameArray = "NSMonthNameArray"
/// The format of a negative amount of money.
public let NSNegativeCurrencyFormatString = "NSNegativeCurrencyFormatString"
/// Words for the day after today.
public let NSNextDayDesignations = "NSNextDayDesignations"
/// Words for the day after tomorrow.
public let NSNextNextDayDesignations = "NSNextNextDayDesignations"
/// The name of the language domain that this one refines.
public let NSParentContext = "NSParentContext"
/// The format of a positive amount of money.
public let NSPositiveCurrencyFormatString = "NSPositiveCurrencyFormatString"
/// Words for the day before today.
public let NSPriorDayDesignations = "NSPriorDayDesignations"
/// The format of a date in digits.
public let NSShortDateFormatString = "NSShortDateFormatString"
/// Twelve strings: the abbreviated names of the months.
public let NSShortMonthNameArray = "NSShortMonthNameArray"
/// The short format of a time and date.
public let NSShortTimeDateFormatString = "NSShortTimeDateFormatString"
/// Seven strings: the abbreviated names of the weekdays, Sunday first.
public let NSShortWeekDayNameArray = "NSShortWeekDayNameArray"
/// Words for today.
public let NSThisDayDesignations = "NSThisDayDesignations"
/// The separator of groups of three digits.
public let NSThousandsSeparator = "NSThousandsSeparator"
/// The format of a time and date.
public let NSTimeDateFormatString = "NSTimeDateFormatString"
/// The format of a time.
public let NSTimeFormatString = "NSTimeFormatString"
/// Seven strings: the names of the weekdays, Sunday first.
public let NSWeekDayNameArray = "NSWeekDayNameArray"
/// Three strings: the words for year, month and week.
public let NSYearMonthWeekDesignations = "NSYearMonthWeekDesignations"
