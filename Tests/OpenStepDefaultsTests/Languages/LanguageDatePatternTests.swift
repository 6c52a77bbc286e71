import Testing

@testable import OpenStepDefaults

@Suite("LanguageDatePattern")
struct LanguageDatePatternTests {
  @Test(
    "a pattern's fields become the period's conversions",
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
    #expect(LanguageDatePattern(pattern).periodFormat == expected)
  }

  @Test("quoted text stands without its quotes, two quotes are one")
  func quotes() {
    #expect(LanguageDatePattern("d 'de' MMMM 'de' y").periodFormat == "%e de %B de %Y")
    #expect(LanguageDatePattern("h 'o''clock' a").periodFormat == "%I o'clock %p")
    #expect(LanguageDatePattern("d''MM").periodFormat == "%d'%m")
    #expect(LanguageDatePattern("'never closed d").periodFormat == "never closed d")
  }

  @Test("a quote is seen under a combining mark")
  func combiningMarks() {
    #expect(LanguageDatePattern("'lyɛ'\u{30C} d 'na' MMMM").periodFormat == "lyɛ\u{30C} %e na %B")
  }

  @Test("text that is no ASCII letter needs no quotes")
  func unquotedText() {
    #expect(LanguageDatePattern("y年M月d日(EEE)").periodFormat == "%Y年%m月%d日(%a)")
  }

  @Test("a percent sign in the text is doubled")
  func percent() {
    #expect(LanguageDatePattern("'100%' d %").periodFormat == "100%% %e %%")
  }

  @Test("a field that the period cannot say leaves no gap")
  func dropped() {
    #expect(LanguageDatePattern("d MMMM G y").periodFormat == "%e %B %Y")
    #expect(LanguageDatePattern("d MMMM y G").periodFormat == "%e %B %Y")
    #expect(LanguageDatePattern("G y MMMM").periodFormat == "%Y %B")
  }

  @Test("a space of any width becomes the plain one")
  func spaces() {
    #expect(LanguageDatePattern("h:mm\u{202F}a\u{A0}Z").periodFormat == "%I:%M %p %z")
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
