import Foundation
import OpenStepPropertyList

/// The answers of runs as one HTML file, which loads nothing and can be read without scripts.
///
/// The same questions and results give the same bytes.
struct Page {
  /// A column of the tables.
  struct Run {
    let id: String
    let description: JSON
  }

  /// The questions of one family, by `api/family`.
  private struct Family {
    let name: String
    var questions: [Question] = []
  }

  private let results: Results
  private let runs: [Run]
  private let families: [Family]
  /// The indices of the runs with an answer to a question of an API, by the API.
  private var columns: [String: [Int]] = [:]

  init(_ questions: [Question], _ results: Results) {
    self.results = results
    runs = results.runs.sorted { $0.key < $1.key }.map { Run(id: $0.key, description: $0.value) }
    var families: [String: Family] = [:]
    for question in questions {
      let name = question.id.split(separator: "/").prefix(2).joined(separator: "/")
      families[name, default: Family(name: name)].questions.append(question)
    }
    self.families = families.values.sorted { $0.name < $1.name }
    for question in questions {
      let answering = runs.indices.filter { results.answers[question.id]?[runs[$0].id] != nil }
      columns[Page.api(question.id)] = Set(columns[Page.api(question.id)] ?? []).union(answering).sorted()
    }
  }

  /// The beginning of an id, or of a family's name.
  private static func api(_ name: String) -> String {
    String(name.prefix { $0 != "/" })
  }

  /// The file's text.
  var text: String {
    let apis = columns.keys.sorted()
    var parts = [
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
      <title>The compatibility atlas</title>
      <style>
      \(PageStyle.text)
      """
    ]
    let names = apis.enumerated().map { labels(of: $1, $0) }.joined(separator: "\n")
    parts.append("@media \(PageStyle.narrow) {\n\(names)\n}")
    parts += ["</style>\n</head>\n<body>", introduction, PageForm.text(families.map(\.name), runs), summary]
    for family in families {
      let index = apis.firstIndex(of: Page.api(family.name)) ?? 0
      parts.append(section(family, index, columns[Page.api(family.name)] ?? []))
    }
    parts.append("<script type=\"application/json\" id=\"data\">\(data)</script>")
    parts.append("<script>\n\(PageScript.text)\n</script>\n</body>\n</html>\n")
    return parts.joined(separator: "\n")
  }

  /// The data that the page shows, for its script and for programs.
  private var data: String {
    let questions = families.flatMap(\.questions)
    // No “<” of a text can end the element or begin a comment.
    return PageData.json(questions, results, runs).compact.replacingOccurrences(of: "<", with: "\\u003c")
  }

  // MARK: - Parts

  /// The names of the columns in front of the cells, for narrow windows, in which a row is a list.
  private func labels(of api: String, _ index: Int) -> String {
    (columns[api] ?? []).enumerated().map { place, run in
      // A style sheet is no HTML: its escapes are its own, and “<” must not end the element.
      let name = runs[run].id.unicodeScalars.map { scalar in
        scalar.isASCII && scalar.properties.isAlphabetic
          ? String(scalar) : "\\\(String(scalar.value, radix: 16)) "
      }
      return ".t\(index) td:nth-child(\(place + 5))::before { content: \"\(name.joined()): \" }"
    }.joined(separator: "\n")
  }

  private var introduction: String {
    let rows = runs.map { run in
      func text(_ key: PropertyListKey) -> String { HTML.escaped(run.description[key]?.text ?? "") }
      let homepage = run.description["homepage"]?.text ?? ""
      // Anything else could be a script.
      let isLink = homepage.hasPrefix("https://") || homepage.hasPrefix("http://")
      let name = isLink ? "<a href=\"\(HTML.escaped(homepage))\">\(text("name"))</a>" : text("name")
      return "<tr><th scope=\"row\">\(HTML.escaped(run.id))<td>\(name)<td>\(text("version"))"
        + "<td>\(text("language"))<td>\(text("os"))<td>\(text("date"))"
    }
    return """
      <header>
      <h1>The compatibility atlas</h1>
      <p>Small experiments on a defaults database and texts of property lists, and what each implementation made \
      of them. ✓ is the expected answer, ≠ another one, – no such call, ? a step that the driver does not know, \
      ✗ a process that ended, ⧖ one that hung, ! a message against the protocol, · not asked. The basis of an expectation is \
      OPENSTEP’s text (openstep), Apple’s documentation or parser (apple), GNUstep as run where the text is \
      silent (gnustep), or a choice of the package OpenStepDefaults, which binds nobody (choice).</p>
      <div class="wide"><table><caption>Runs</caption>
      <thead><tr><th scope="col">Run<th scope="col">Implementation<th scope="col">Version\
      <th scope="col">Language<th scope="col">System<th scope="col">Date<tbody>
      \(rows.joined(separator: "\n"))
      </table></div>
      </header>
      """
  }

  /// A table with the number of expected answers of each run, by family.
  private var summary: String {
    let heads = runs.map { "<th scope=\"col\">\(HTML.escaped($0.id))" }.joined()
    let rows = families.map { family in
      let name = HTML.escaped(family.name)
      let cells = runs.map { run in "<td>" + count(of: run, family.questions) }.joined()
      return "<tr><th scope=\"row\"><a href=\"#\(name)\">\(name)</a>\(cells)"
    }
    let totals = runs.map { run in "<td>" + count(of: run, families.flatMap(\.questions)) }.joined()
    return """
      <main>
      <div class="wide" id="summary"><table><caption>Expected answers</caption>
      <thead><tr><th scope="col">Family\(heads)<tbody>
      \(rows.joined(separator: "\n"))
      <tr><th scope="row">total\(totals)
      </table></div>
      """
  }

  private func count(of run: Run, _ questions: [Question]) -> String {
    let verdicts = questions.compactMap { results.answers[$0.id]?[run.id]?["verdict"]?.text }
      .filter { $0 != Answer.Verdict.notRun.rawValue }
    if verdicts.isEmpty { return "" }
    return "\(verdicts.count { $0 == Answer.Verdict.agrees.rawValue }) of \(verdicts.count)"
  }

  private func section(_ family: Family, _ index: Int, _ columns: [Int]) -> String {
    let table = PageTable(style: "t\(index)", runs: columns.map { runs[$0] }, results: results)
    let agreeing = family.questions.filter { table.isAgreedOn($0) }
    let others = family.questions.filter { !table.isAgreedOn($0) }
    let name = HTML.escaped(family.name)
    var parts = ["<section id=\"\(name)\"><h2>\(name)</h2>"]
    if !others.isEmpty { parts.append(table.text(others)) }
    if !agreeing.isEmpty {
      parts.append("<details><summary>\(agreeing.count) on which all agree</summary>")
      parts.append(table.text(agreeing) + "\n</details>")
    }
    return parts.joined(separator: "\n") + "\n</section>"
  }
}
