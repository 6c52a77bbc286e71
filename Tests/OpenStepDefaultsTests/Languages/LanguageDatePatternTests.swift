import Testing

@testable import OpenStepDefaults

@Suite("LanguageDatePattern")
struct LanguageDatePatternTests {
  @Test(
    "a pattern's fields become OPENSTEP's conversions",
    arguments: [
      ("EEEE, MMMM d, y", "%A, %B %e, %Y"),
      ("EEE d MMM yy", "%a %e %b %y"),
      ("M/d/yy", "%m/%d/%y"),
      ("dd/MM/y", "%d/%m/%Y"),
      ("dd LLLL y", "%d %B %Y"),
      ("H:mm:ss", "%H:%M:%S"),
      ("h:mm a", "%I:%M %p"),
      ("Bh:mm", "%p%I:%M"),
      ("HH:mm:ss Z", "%H:%M:%S %z"),
      ("", ""),
    ])
  func fields(pattern: String, expected: String) {
    #expect(LanguageDatePattern(pattern).openStepFormat == expected)
  }

  @Test("quoted text stands without its quotes, two quotes are one")
  func quotes() {
    #expect(LanguageDatePattern("d 'de' MMMM 'de' y").openStepFormat == "%e de %B de %Y")
    #expect(LanguageDatePattern("h 'o''clock' a").openStepFormat == "%I o'clock %p")
    #expect(LanguageDatePattern("d''MM").openStepFormat == "%d'%m")
    #expect(LanguageDatePattern("'never closed d").openStepFormat == "never closed d")
  }

  @Test("a quote is seen under a combining mark")
  func combiningMarks() {
    #expect(LanguageDatePattern("'lyɛ'\u{30C} d 'na' MMMM").openStepFormat == "lyɛ\u{30C} %e na %B")
  }

  @Test("text that is no ASCII letter needs no quotes")
  func unquotedText() {
    #expect(LanguageDatePattern("y年M月d日(EEE)").openStepFormat == "%Y年%m月%d日(%a)")
  }

  @Test("a percent sign in the text is doubled")
  func percent() {
    #expect(LanguageDatePattern("'100%' d %").openStepFormat == "100%% %e %%")
  }

  @Test("a field that OPENSTEP's formats cannot express leaves no gap")
  func dropped() {
    #expect(LanguageDatePattern("d MMMM G y").openStepFormat == "%e %B %Y")
    #expect(LanguageDatePattern("d MMMM y G").openStepFormat == "%e %B %Y")
    #expect(LanguageDatePattern("G y MMMM").openStepFormat == "%Y %B")
  }

  @Test("a space of any width becomes the plain one")
  func spaces() {
    #expect(LanguageDatePattern("h:mm\u{202F}a\u{A0}Z").openStepFormat == "%I:%M %p %z")
  }

  @Test(
    "the order of a date's numbers",
    arguments: [
      ("M/d/yy", "MDY"), ("dd.MM.y", "DMY"), ("y年M月d日", "YMD"), ("'d' y-MM-dd", "YMD"), ("H:mm", ""),
    ])
  func order(pattern: String, expected: String) {
    #expect(LanguageDatePattern(pattern).numberOrder == expected)
  }
}
