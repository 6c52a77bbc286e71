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

  /// Parses `YYYY-MM-DD hh:mm:ss` (a year of four to six digits) at the start of a text, and removes it from there; nil if
  /// the calendar does not have that time.
  init?(parsing text: inout Substring.UTF8View) {
    func number(_ digits: ClosedRange<Int> = 2...2, before separator: Unicode.Scalar? = nil) -> Int64? {
      guard let number = CivilTime.number(in: &text, digits: digits) else { return nil }
      if let separator, text.popFirst() != UInt8(ascii: separator) { return nil }
      return number
    }
    guard let year = number(4...6, before: "-"), year >= 1, let month = number(before: "-"),
      let day = number(before: " "), let hour = number(before: ":"), let minute = number(before: ":"),
      let second = number()
    else { return nil }
    self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }

  /// Removes a decimal number from the start of a text; nil if it has not so many digits.
  ///
  /// - Parameter digits: How many digits are read, at most 18.
  static func number(in text: inout Substring.UTF8View, digits: ClosedRange<Int>) -> Int64? {
    var (number, count) = (Int64(0), 0)
    while count < digits.upperBound, let byte = text.first, (0x30...0x39).contains(byte) {
      number = number * 10 + Int64(byte - 0x30)
      count += 1
      text.removeFirst()
    }
    return digits.contains(count) ? number : nil
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

  private static func days(inMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
