import OpenStepPropertyList
import Testing

@testable import DefaultsDomains

/// The argument domain; the outcomes are GNUstep's as run, except where a broken value cost it the others.
struct ArgumentDomainTests {
  @Test(
    "keys and values are told apart by their hyphens",
    arguments: [
      (["-Key", "value"], ["Key": "value"]),
      (["-Key"], [:]),
      (["-A", "-B"], [:]),
      (["-A", "-B", "x"], ["B": "x"]),
      (["-Count", "-5"], [:]),
      (["-Count", "-5", "-B", "1"], ["B": "1"]),
      (["-A", "-5", "x"], ["5": "x"]),
      (["--long", "x"], ["-long": "x"]),
      (["---a", "x"], ["--a": "x"]),
      (["--", "x"], ["-": "x"]),
      (["--GNU-Debug=x"], [:]),
      (["-A", "--GNU-Debug=x", "-B", "2"], ["B": "2"]),
      (["-"], [:]),
      (["-", "x"], [:]),
      (["-A", "-", "-B", "1"], ["A": "-", "B": "1"]),
      (["-A", "-", "-"], ["A": "-"]),
      (["-A=5"], [:]),
      (["-A=5", "x"], ["A=5": "x"]),
      (["x", "-A", "1"], ["A": "1"]),
      (["-A", "1", "stray", "-B", "2"], ["A": "1", "B": "2"]),
      (["-A", "1", "--", "-B", "2"], ["A": "1", "B": "2"]),
      (["-K", "1", "-K", "2"], ["K": "2"]),
      (["-Key", ""], ["Key": ""]),
      (["-A B", "x"], ["A B": "x"]),
      (["-é", "漢"], ["é": "漢"]),
      (["-\u{301}", "x"], ["\u{301}": "x"]),
    ] as [([String], PropertyList)])
  func keys(arguments: [String], expected: PropertyList) {
    #expect(PropertyList.dictionary(ArgumentDomain.values(of: ["program"] + arguments)) == expected)
  }

  @Test(
    "a value is a property list, or else the text as it stands",
    arguments: [
      ("12", "12"), ("1.5", "1.5"), ("YES", "YES"), (" x ", "x"), ("a\n", "a"), ("x y", "x y"), (" ", " "),
      ("(a, b)", ["a", "b"]), (" (a) ", ["a"]), ("(a,)", ["a"]), ("()", []), ("{}", [:]), ("\"\"", ""),
      ("{a=1;}", ["a": "1"]), ("{a=;}", ["a": ""]), ("{a=1;a=2;}", ["a": "2"]),
      ("<0fbd>", .data([0x0F, 0xBD])), ("<0f bd>", .data([0x0F, 0xBD])), ("<>", .data([])),
      ("<[AAEC]>", .data([0, 1, 2])), ("\"quoted\"", "quoted"), ("\"a\\U00e9\"", "aé"), ("\"\\\"\"", "\""),
      ("/* x */ y", "y"), ("\"a\" /*c*/", "a"), ("/usr/*/x", "/usr/*/x"),
      ("\"un", "\"un"), ("(a, b", "(a, b"), ("{a=1", "{a=1"), ("{a=1;b}", "{a=1;b}"), ("(a b)", "(a b)"),
      ("(a,b) junk", "(a,b) junk"), ("{}x", "{}x"), ("{a=1}", "{a=1}"), ("{a;}", "{a;}"), ("a=b;", "a=b;"),
      ("key = value;", "key = value;"), ("a;", "a;"), ("'a b'", "'a b'"), ("('a b')", "('a b')"),
      ("// x", "// x"), ("<0fb>", "<0fb>"), ("\\a", "\\a"), ("(é)", "(é)"), ("(\"é\")", ["é"]),
      ("<?xml", "<?xml"), ("<*I5>", .integer(5)), ("<*R1.5>", .real(1.5)), ("<*BY>", .boolean(true)),
    ] as [(String, PropertyList)])
  func values(text: String, expected: PropertyList) {
    #expect(ArgumentDomain.values(of: ["program", "-K", text, "-L", "1"]) == ["K": expected, "L": "1"])
  }

  @Test("the texts are what stands on the command line, by the same keys")
  func texts() {
    let arguments = ["program", "-A", "( a, b )", "-B", "\"quoted\"", "-C", "-D", "<0fbd>", "-E"]
    let expected: [PropertyListKey: String] = ["A": "( a, b )", "B": "\"quoted\"", "D": "<0fbd>"]
    #expect(ArgumentDomain.texts(of: arguments) == expected)
    #expect(ArgumentDomain.texts(of: ["program", "-A", "-"]) == ["A": "-"])
    #expect(ArgumentDomain.texts(of: ["program", "-A", "-"], takesLoneHyphen: false).isEmpty)
  }

  // It was decoded once more by the encoding that it declares, and é became Ã©.
  @Test("the declared encoding of an XML property list does not count, and no argument is a binary one")
  func declaredEncoding() {
    for encoding in ["ISO-8859-1", "windows-1252", "UTF-16", "UTF-8"] {
      let text =
        "<?xml version=\"1.0\" encoding=\"\(encoding)\"?><plist><array><string>é</string></array></plist>"
      #expect(ArgumentDomain.values(of: ["program", "-k", text]) == ["k": ["é"]])
    }
    #expect(ArgumentDomain.values(of: ["program", "-k", "bplist00"]) == ["k": "bplist00"])
  }

  @Test("an XML property list is read like a text")
  func xml() {
    let text = "<?xml version=\"1.0\"?><plist version=\"1.0\"><array><string>a</string></array></plist>"
    #expect(ArgumentDomain.values(of: ["program", "-K", text]) == ["K": ["a"]])
  }
}
