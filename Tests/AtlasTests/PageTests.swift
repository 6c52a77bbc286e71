import Foundation
import OpenStepPropertyList
import Testing

@testable import DefaultsAtlas

/// The page that is made of results.
@Suite
struct PageTests {
  private static func questions(_ lines: String...) throws -> [Question] {
    try lines.map { try Question(try JSONReader.value(of: $0.utf8)) }
  }

  private static let driver = Driver(.classic, runner: "/nonexistent")

  private static func results(_ questions: [Question], _ outcomes: [JSON]) -> Results {
    Results(
      zip(questions, outcomes).map { Answer($0, driver, outcome: $1) }, of: [driver], day: "2026-01-01")
  }

  /// The page of the package's own questions and checked-in results, from the program.
  private static func makePage() throws -> String {
    let runner = try Runner()
    let page = runner.folder.appendingPathComponent("atlas.html").path
    let result = try runner.run(["--merge", CheckedInResultsTests.path, "--page", page])
    #expect(result.status == 0, "\(result.errors)")
    return try runner.text("atlas.html")
  }

  private static let wholePage = Result { try makePage() }

  private static func data(of page: String) throws -> JSON {
    let start = try #require(page.range(of: "<script type=\"application/json\" id=\"data\">")).upperBound
    let end = try #require(page.range(of: "</script>", range: start..<page.endIndex)).lowerBound
    return try JSONReader.value(of: page[start..<end].utf8)
  }

  /// What stands behind each place of a text, up to the next quotation mark. A regular expression takes a minute for it.
  private static func quoted(in page: String, behind mark: String) -> [String] {
    page.components(separatedBy: mark).dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }

  // MARK: - The whole page

  @Test("the page has a row for each question, each with its id as its anchor, and is the same each time")
  func rows() throws {
    let page = try PageTests.wholePage.get()
    let questions = try OwnFiles.questions()
    let anchors = PageTests.quoted(in: page, behind: "<tr id=\"")
    #expect(anchors.sorted() == questions.map(\.id).sorted())
    let all = PageTests.quoted(in: page, behind: " id=\"")
    #expect(Set(all).count == all.count)
    let inside = PageTests.quoted(in: page, behind: "href=\"#")
    #expect(Set(inside).isSubset(of: all))
    #expect(page.utf8.count < 1_500_000)
    #expect(try PageTests.makePage() == page)
  }

  @Test("the page loads nothing, and its script is short")
  func selfContained() throws {
    let page = try PageTests.wholePage.get()
    for text in ["src=", "<link", "<img", "<iframe", "<object", "<embed"] {
      let isFound = page.contains(text)
      #expect(!isFound, "\(text)")
    }
    for text in ["url(", "@import"] { #expect(!PageStyle.text.contains(text), "\(text)") }
    for text in ["fetch(", "XMLHttpRequest", "import(", "http"] {
      #expect(!PageScript.text.contains(text), "\(text)")
    }
    // Outside of links to homepages no address stands in the page's own markup.
    let addresses = page.matches(of: /<([a-z]+) [^>]*(https?:)/).map { String($0.1) }
    #expect(Set(addresses) == ["a"])
    #expect(PageScript.text.split(separator: "\n").count < 200)
  }

  @Test("the data in the page are the results, with long values cut")
  func dataAreTheResults() throws {
    let data = try PageTests.data(of: try PageTests.wholePage.get())
    let results = try OwnFiles.results()
    #expect(data["runs"]?.description == results["runs"]?.description)
    let runs = try #require(data["runs"]?.elements?.compactMap { $0["id"]?.text })
    guard case .object(let answers)? = results["answers"] else {
      Issue.record("there are no answers")
      return
    }
    for (id, entries) in answers {
      let fields = try #require(data["questions"]?[id]?.elements)
      let shown = try #require(fields[5].elements)
      for (run, answer) in zip(runs, shown) {
        let entry = entries[PropertyListKey(run)]
        switch answer {
        case .null: #expect(entry == nil, "\(id.text)")
        case .number:
          #expect(entry?["verdict"]?.text == "agrees", "\(id.text)")
          let outcome = try #require(entry?["outcome"])
          #expect(PageTests.cut(outcome).description == fields[4].description, "\(id.text)")
        default:
          let outcome = try #require(entry?["outcome"])
          let wanted = JSON.array([entry?["verdict"] ?? .null, PageTests.cut(outcome)])
          #expect(answer.description == wanted.description, "\(id.text)")
        }
      }
    }
  }

  /// The form of a value whose JSON has more than 200 bytes, as the guide describes it.
  private static func cut(_ json: JSON) -> JSON {
    let text = json.compact
    if text.utf8.count <= 200 { return json }
    var hash: UInt64 = 14_695_981_039_346_656_037
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
    let digits = String(format: "%016lx", hash)
    return .tagged(
      "cut",
      .object([
        "start": .string(String(text.prefix(80))), "bytes": .number(Double(text.utf8.count)),
        "hash": .string(digits),
      ]))
  }

  // MARK: - Rows

  @Test("no text of a question or an answer ends an element, is invisible, or becomes a script")
  func escaping() throws {
    let questions = try PageTests.questions(
      #"{"id": "classic/x/0", "title": "</script><b>\u0000\u2028\u202e&", "basis": "choice", "#
        + #""note": "<!--<script>", "api": "classic", "setup": [], "#
        + #""call": ["string", "</script>\u0000\u2028"], "expect": "</ScRipt>\u0000\u2028"}"#)
    let answer = try JSONReader.value(of: #""<i>]]>\u0000\u2028-->""#.utf8)
    let page = Page(questions, PageTests.results(questions, [answer])).text
    #expect(page.lowercased().components(separatedBy: "</script").count == 3)
    #expect(page.components(separatedBy: "<!--").count == 1)
    #expect(!page.contains("<b>") && !page.contains("<i>]"))
    #expect(page.unicodeScalars.allSatisfy { !["\0", "\u{2028}", "\u{202E}"].contains($0) })
    #expect(page.contains("&lt;/script&gt;&lt;b&gt;␀⟨U+2028⟩⟨U+202E⟩&amp;"))
    let fields = try #require(try PageTests.data(of: page)["questions"]?["classic/x/0"]?.elements)
    #expect(fields[3].elements?[1].text == "</script>\u{0}\u{2028}")
    #expect(fields[4].text == "</ScRipt>\u{0}\u{2028}")
    #expect(fields[5].elements?[0].elements?[1].text == "<i>]]>\u{0}\u{2028}-->")
  }

  @Test("a homepage that is no address of the web is no link")
  func homepages() throws {
    let runner = try Runner()
    let results =
      #"{"atlas": 1, "questions": 1, "runs": [{"id": "a", "name": "A", "homepage": "javascript:alert(1)"}, "#
      + #"{"id": "b", "name": "B", "homepage": "https://b.example/\"><u>"}], "answers": {}}"#
    let page = runner.folder.appendingPathComponent("page.html").path
    let result = try runner.run([
      try runner.questions(1), "--merge", try runner.write(results, "old.json"), "--page", page,
    ])
    #expect(result.status == 0, "\(result.errors)")
    let text = try runner.text("page.html")
    #expect(!text.contains("href=\"javascript"))
    #expect(text.contains("<a href=\"https://b.example/&quot;&gt;&lt;u&gt;\">B</a>"))
  }

  @Test("rows on which all agree are folded, and a difference shows its sign and the answer")
  func folding() throws {
    let questions = try PageTests.questions(
      #"{"id": "classic/x/0", "api": "classic", "setup": [], "call": ["sync"], "expect": {"b": true}}"#,
      #"{"id": "classic/x/1", "api": "classic", "setup": [], "call": ["sync"], "expect": {"b": true}}"#,
      #"{"id": "classic/x/2", "api": "classic", "setup": [], "call": ["sync"], "expect": {"b": true}}"#)
    let page = Page(questions, PageTests.results(questions, [.truth(true), .truth(false), .aborts])).text
    let fold = try #require(page.range(of: "<details>"))
    let places = try (0..<3).map { try #require(page.range(of: "<tr id=\"classic/x/\($0)\">")).lowerBound }
    #expect(places[0] > fold.lowerBound && places[1] < fold.lowerBound && places[2] < fold.lowerBound)
    #expect(page.contains("≠ <code>{&quot;b&quot;: false}</code>"))
    #expect(page.contains("✗ ends"))
    #expect(page.contains("<td>1 of 3"))
  }

  @Test(
    "an input that is long, or no text, is shown by its beginning, its length and its hash, or by its bytes")
  func inputs() throws {
    let long = Data(repeating: UInt8(ascii: "a"), count: 201).base64EncodedString()
    let short = Data(repeating: UInt8(ascii: "b"), count: 200).base64EncodedString()
    let questions = try PageTests.questions(
      #"{"id": "text/x/0", "input_base64": "\#(long)", "expect": {"error": true}}"#,
      #"{"id": "text/x/1", "input_base64": "\#(short)", "expect": {"error": true}}"#,
      #"{"id": "text/x/2", "input_base64": "/v8AIg==", "expect": {"error": true}}"#,
      #"{"id": "text/x/3", "input_base64": "YQoAYg==", "expect": {"error": true}}"#)
    let page = Page(questions, PageTests.results(questions, [])).text
    // The hash is the published algorithm's, which another program computed.
    #expect(page.contains("</code>… (201 bytes, FNV-1a 9a253eda0ce95884)"))
    #expect(page.contains("<code>\(String(repeating: "b", count: 200))</code>"))
    #expect(page.contains("bytes <code>fe ff 00 22</code>"))
    #expect(page.contains("<code>a␊␀b</code>"))
  }
}
