/// A date and time of the proleptic Gregorian calendar in UTC.
struct CivilTime {
  var year: Int64
  var month: Int64
  var day: Int64
  var secondOfDay: Int64

  private static let secondsPerDay: Int64 = 86_400
  /// The days from 0000-03-01, where the eras of the conversion begin, to 2001-01-01.
  private static let dayOfReferenceDate: Int64 = 730_791

  /// Converts seconds since 2001-01-01 to a date; nil outside the years 1 to 9999.
  init?(secondsSinceReferenceDate seconds: Int64) {
    guard (-63_113_904_000..<252_423_993_600).contains(seconds) else { return nil }
    // Counted from a day before the year 1, so that no division has a negative dividend.
    let secondCount = seconds + CivilTime.dayOfReferenceDate * CivilTime.secondsPerDay
    secondOfDay = secondCount % CivilTime.secondsPerDay
    // Years are counted from March, so that the leap day is the last day of its year.
    let dayCount = secondCount / CivilTime.secondsPerDay
    let (era, dayOfEra) = dayCount.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }

  /// Parses `YYYY-MM-DD` (a year of four to six digits) and `hh:mm:ss`; nil if the
  /// calendar does not have that time.
  init?(date: Substring, time: Substring) {
    guard let date = CivilTime.numbers(date, separator: "-", digits: [4...6, 2...2, 2...2]),
      let time = CivilTime.numbers(time, separator: ":", digits: [2...2, 2...2, 2...2])
    else { return nil }
    guard date[0] >= 1 else { return nil }
    self.init(
      year: date[0], month: date[1], day: date[2], hour: time[0], minute: time[1], second: time[2])
  }

  /// Makes a time from its parts; nil if the calendar does not have it. Year 0 is the year before year 1.
  init?(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
    guard (1...12).contains(month), day >= 1, day <= CivilTime.days(inMonth: month, year: year),
      (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    secondOfDay = hour * 3600 + minute * 60 + second
  }

  var secondsSinceReferenceDate: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    // Rounded down, also for negative years.
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let marchMonth = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - CivilTime.dayOfReferenceDate
    return days * CivilTime.secondsPerDay + secondOfDay
  }

  /// The time as `YYYY-MM-DD hh:mm:ss`.
  var text: String {
    let date = [(year, 4), (month, 2), (day, 2)].map(CivilTime.padded).joined(separator: "-")
    let time = [(secondOfDay / 3600, 2), (secondOfDay / 60 % 60, 2), (secondOfDay % 60, 2)]
    return date + " " + time.map(CivilTime.padded).joined(separator: ":")
  }

  private static func padded(_ number: Int64, digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  private static func numbers(
    _ text: Substring, separator: Character, digits: [ClosedRange<Int>]
  ) -> [Int64]? {
    let fields = text.split(separator: separator, omittingEmptySubsequences: false)
    guard fields.count == digits.count else { return nil }
    var numbers: [Int64] = []
    for (field, digits) in zip(fields, digits) {
      guard digits.contains(field.utf8.count), field.allSatisfy(\.isASCIIDigit), let number = Int64(field)
      else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  private static func days(inMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
