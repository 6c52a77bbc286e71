import OpenStepPropertyList
import Testing

/// The layout and the spelling, by `text-plist.md`, sections 10, 13 and 16.
@Suite
struct PropertyListWriterTests {
  @Test("a domain is written with one key a line, sorted, and type notes behind typed scalars")
  func domain() throws {
    let domain: PropertyList = [
      "Visible": .boolean(true),
      "Sizes": [.integer(1), .integer(2)],
      "Name": "five",
      "Launched": .date(PropertyListDate(secondsSinceReferenceDate: 816_880_560.125)),
      "Height": .real(1.5),
      "Count": .integer(5),
    ]
    #expect(
      try domain.text() == """
        {
            Count = 5 /*integer*/;
            Height = 1.5 /*real*/;
            Launched = "2026-11-20 15:16:00.125 +0000" /*date*/;
            Name = five;
            Sizes = (1 /*integer*/, 2 /*integer*/);
            Visible = YES /*boolean*/;
        }

        """)
  }
}
