import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Reading back what “-to tagged” prints.
struct TaggedReadingTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// Values of every type, with those that are near the bounds of a type or special in JSON.
  private static let values = [
    "text": "'\"a\\nb \\\"c\\\" \\U20AC\"'", "empty": "\"\"", "data": "<0fbd00ff>", "noData": "<>",
    "array": "(1, (), ({ a = (b); }))", "dictionary": "{ \"\" = { s = x; }; o = {}; int = 1 /*integer*/; }",
    "integer": "-9223372036854775808 /*integer*/", "large": "18446744073709551615 /*integer*/",
    "real": "0.1 /*real*/", "tiny": "5e-324 /*real*/", "infinity": "-inf /*real*/", "nan": "nan /*real*/",
    "zero": "-0.0 /*real*/", "truth": "YES /*boolean*/", "lie": "NO /*boolean*/",
    "date": "\"2026-11-20 15:16:00.125 +0000\" /*date*/", "oldDate": "\"0001-01-01 00:00:00 +0000\" /*date*/",
    "farDate": "1e300 /*date*/", "reference": "{ \"CF$UID\" = 5 /*integer*/; }",
  ]

  @Test("every type of value comes back from the tagged form, by import and by convert")
  func roundTrip() throws {
    let text = Self.values.map {
      "\"\($0)\" = \($1.hasPrefix("'") ? String($1.dropFirst().dropLast()) : $1);"
    }
    try home.write("{ \(text.sorted().joined(separator: "\n")) }", to: "App.plist")
    let tagged = home.run("read", "-to", "tagged", "App")
    #expect(tagged.code == .done && tagged.errors.isEmpty)
    #expect(
      home.run("import", "-from", "tagged", "Copy", "-", input: tagged.output)
        == .init(code: .done, output: "domains: 1, keys: \(Self.values.count), not carried: 0\n"))
    #expect(home.run("diff", "App", "Copy") == .init(code: .done))
    #expect(
      home.run("convert", "-from", "tagged", "-to", "openstep", "-", input: tagged.output)
        == home.run("export", "App", "-"))
  }

  @Test("a Float comes back as the equal Double, as JSON has it")
  func float() {
    let tagged = home.run("convert", "-to", "tagged", "-", input: "{ f = 1.5 /*float*/; }").output
    #expect(
      home.run("convert", "-from", "tagged", "-to", "flat", "-", input: tagged).output
        == ".f '1.5 /*real*/'\n")
  }

  @Test("what may be meant as tagged is read as plain JSON, and a line says so; other JSON is read silently")
  func plain() throws {
    let tagged = "{\"o\":{\"a\":{\"int\":\"5\"}}}"
    let remark =
      "defaults: standard input: has the form of tagged JSON and was read as plain JSON; “-from tagged” takes the "
      + "tags for types\n"
    #expect(
      home.run("import", "Plain", "-", input: tagged)
        == .init(code: .done, output: "domains: 1, keys: 1, not carried: 0\n", errors: remark))
    #expect(home.run("read", "Plain").output == "Plain o '{a = {int = 5; }; }'\n")
    #expect(
      home.run("convert", "-to", "flat", "-", input: tagged)
        == .init(code: .done, output: ".o.a.int 5\n", errors: remark))
    #expect(home.run("convert", "-from", "json", "-to", "flat", "-", input: tagged).errors.isEmpty)
    #expect(home.run("convert", "-to", "flat", "-textconv", "-", input: tagged).errors.isEmpty)
    #expect(home.run("convert", "-to", "flat", "-", input: "{\"a\": {\"int\": 5}}").errors.isEmpty)
  }

  @Test(
    "a command that takes no kind of file says as well that it has read plain JSON, and what reads tagged")
  func plainFiles() throws {
    try home.write("{\"o\":{\"a\":{\"int\":\"5\"}}}", to: "tagged.json")
    try home.write("{\"o\":{\"a\":{\"int\":5}}}", to: "plain.json")
    try home.write("{ o = { a = { int = 5; }; }; }", to: "same.plist")
    let (path, same) = (home.path + "/tagged.json", home.path + "/same.plist")
    func remark(_ name: String) -> String {
      "defaults: \(name): has the form of tagged JSON and was read as plain JSON; "
        + "“defaults convert -from tagged” takes the tags for types\n"
    }
    #expect(
      home.run("read", path) == .init(code: .done, output: "o '{a = {int = 5; }; }'\n", errors: remark(path)))
    #expect(home.run("read", path, ".o.a.int").errors == remark(path))
    #expect(home.run("diff", path, same) == .init(code: .done, errors: remark(path)))
    let tagged = try home.text(of: "tagged.json")
    #expect(
      home.run("diff", same, "-", input: tagged) == .init(code: .done, errors: remark("standard input")))
    // It has no key that “apply” knows.
    let applied = home.run("apply", path)
    #expect(applied.code == .usage && applied.errors.hasPrefix(remark(path)), "\(applied)")
    #expect(home.run("read", home.path + "/plain.json").errors.isEmpty)
  }

  @Test(
    "a value of as many containers as are ever nested comes back from the tagged form, and a deeper one does not"
  )
  func depth() throws {
    let bound = PropertyList.maximumDepth
    func nested(_ open: String, _ inner: String, _ close: String, _ count: Int) -> String {
      String(repeating: open, count: count) + inner + String(repeating: close, count: count)
    }
    // The domain is the outermost container.
    try home.write("{ k = \(nested("(", "x", ")", bound - 1)); }", to: "Deep.plist")
    let script =
      "defaults read -to tagged Deep | defaults import -from tagged Copy - && defaults diff Deep Copy"
    #expect(
      try home.shell(script) == .init(status: 0, output: "domains: 1, keys: 1, not carried: 0\n"))
    for (count, inner) in [(bound + 1, ""), (bound, "{\"uid\":\"5\"}")] {
      let outcome = try home.shell(
        "defaults convert -from tagged -to openstep -", input: nested("{\"a\":[", inner, "]}", count))
      #expect(outcome.status == 4 && outcome.errors.contains("containers are nested"), "\(outcome)")
    }
  }

  @Test(
    "what is no tagged JSON is damaged, with the place, and nothing is made",
    arguments: [
      ("{\"x\":1}", "is no tagged JSON: the outermost value has “x” where the tag of a type was expected"),
      (
        "{\"o\":{\"a\":[{\"s\":\"x\"}]}}",
        "is no tagged JSON: “.a” is no object whose only key is the tag of a type"
      ),
      (
        "{\"o\":{\"a\":{\"a\":[{\"int\":\"1x\"}]}}}",
        "is no tagged JSON: “.a[0]” has the tag “int” and not what"
      ),
      ("{\"o\":{\"a\":{\"d\":\"0f1\"}}}", "“.a” has the tag “d” and not"),
      ("{\"o\":{\"a\":{\"date\":\"today\"}}}", "“.a” has the tag “date” and not"),
      ("{\"o\":{\"a\":{\"bool\":\"true\"}}}", "“.a” has the tag “bool” and not"),
      ("{\"o\":{\"a\":{\"s\":\"x\",\"d\":\"00\"}}}", "“.a” is no object whose only key"),
      ("{\"o\":", "standard input:1:6: the text ends"),
    ])
  func errors(text: String, message: String) throws {
    for words in [
      ["import", "-from", "tagged", "App", "-"], ["convert", "-from", "tagged", "-to", "flat", "-"],
    ] {
      let outcome = home.run(words, input: Array(text.utf8))
      #expect(outcome.code == .damaged && outcome.errors.contains(message), "\(outcome)")
    }
    #expect(try home.files().isEmpty)
  }

  @Test("the form is asked for one file of a domain only")
  func usage() throws {
    try home.write("{}", to: "f.json")
    #expect(
      home.run("import", "-from", "tagged", home.path).errors.hasPrefix(
        "defaults: “-from tagged” takes one file, and needs a domain before it"))
    let xml = home.run("convert", "-to", "xml", "-", input: "{ a = b; }").output
    let outcome = home.run("import", "-from", "tagged", "App", "-", input: xml)
    #expect(outcome.code == .refused && outcome.errors.contains("not tagged JSON"), "\(outcome)")
  }
}
