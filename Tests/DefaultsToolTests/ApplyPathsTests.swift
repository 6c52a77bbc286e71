import DefaultsTool
import Foundation
import TestSupport
import Testing

/// What `apply` makes of paths and of whole domains.
struct ApplyPathsTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ l = (a, b, c, d); w = { x = 1; }; }", to: "T.plist")
  }

  @Test(
    "a path that would lead to another value each time is a usage error, and nothing is written",
    arguments: [
      ("Delete = { T = (\".l[0]\", \".l[1]\"); };", "“Delete” has “.l[0]”, an element"),
      ("Delete = { T = (\".l[-1]\"); };", "“Delete” has “.l[-1]”, an element"),
      ("Set = { T = { \".l[+]\" = x; }; };", "“.l[+]” would add an element each time"),
      ("Set = { T = { \".l[+0].a\" = x; }; };", "“.l[+0].a” would add an element each time"),
      ("Delete = { T = (\".l[+]\"); };", "“.l[+]” would add an element each time"),
      (
        "Set = { T = { \".l[0]\" = x; \".l[-4]\" = y; }; };",
        "“.l[0]” of the domain “T” counts the elements of an array from the other end than another path"
      ),
      (
        "Set = { T = { \".l[0].a\" = x; }; }; Delete = { T = (\".l[-1].b\"); };",
        "“.l[-1].b” of the domain “T” counts the elements of an array from the other end than another path"
      ),
      ("Set = { T = { \".\" = { a = 1; }; }; };", "“.” is the whole domain, which “Replace” sets"),
      ("Delete = { T = (\".\"); };", "“.” is the whole domain, which “Replace” sets"),
      (
        "Set = { T = { \".l[0]\" = x; \".l[0].a\" = y; }; };",
        "“.l[0].a” of the domain “T” is asked for twice"
      ),
      ("Set = { T = { \".w.x\" = x; w = y; }; };", "“w” of the domain “T” is asked for twice"),
      ("Set = { T = { \"[0]\" = x; }; };", "“[0]” begins with an element, and a domain is a dictionary"),
      ("Delete = { None = (\"[0].x\"); };", "“[0].x” begins with an element, and a domain is a dictionary"),
    ])
  func refused(parts: String, message: String) throws {
    for option in [[], ["-check"]] {
      let outcome = home.run(["apply"] + option + ["-"], input: Array("{ \(parts) }".utf8))
      #expect(outcome.code == .usage && outcome.output.isEmpty)
      #expect(outcome.errors.hasPrefix("defaults: standard input: \(message)"), "\(outcome.errors)")
    }
    #expect(try home.text(of: "T.plist") == "{ l = (a, b, c, d); w = { x = 1; }; }")
  }

  @Test(
    "a path that a value on its way makes impossible is reported, what is absent is so already, and the rest is done",
    arguments: [
      ("Delete = { T = (\".l.x\"); };", ".l.x: .l is an array, which has elements, not keys"),
      ("Delete = { T = (\".l[0].x\"); };", ".l[0].x: .l[0] is a string, which has neither keys nor elements"),
      ("Delete = { T = (\".w[0].x\"); };", ".w[0]: .w is a dictionary, which has keys, not elements"),
      ("Set = { T = { \".l[4]\" = x; }; };", ".l[4]: the array has 4 elements: 0…3, -4…-1"),
      ("Set = { T = { \".m[1]\" = x; }; };", ".m[1]: there is no array yet"),
      ("Delete = { T = (\".l[9].x\", \".w.none\", \".none.x\"); N = (\".none.x\"); };", ""),
    ])
  func impossible(parts: String, message: String) throws {
    let errors = message.isEmpty ? "" : "defaults: T: \(message); this was left as it is\n"
    let code: ExitCode = message.isEmpty ? .done : .refused
    let input = Array("{ \(parts) Replace = { Other = { a = 1; }; }; }".utf8)
    let changes = "set Other a 1\n"
    #expect(
      home.run(["apply", "-n", "-"], input: input) == .init(code: code, output: changes, errors: errors))
    #expect(home.run(["apply", "-"], input: input) == .init(code: code, output: changes, errors: errors))
    #expect(home.run(["apply", "-check", "-"], input: input) == .init(code: code, errors: errors))
    #expect(try home.text(of: "T.plist") == "{ l = (a, b, c, d); w = { x = 1; }; }")
  }

  @Test("elements are set from one end, and keys in them are removed, once")
  func elements() throws {
    try home.write("{ l = ({ a = 1; b = 1; }, y, z); }", to: "T.plist")
    let state = "{ Set = { T = { \".l[1]\" = n; \".m[0]\" = first; }; }; Delete = { T = (\".l[0].a\"); }; }"
    #expect(
      home.run("apply", "-", input: state).output
        == "set T .l[1] n (was y)\nset T .m[0] first\ndelete T .l[0].a (was 1)\n")
    #expect(home.run("read", "T").output == "T l '({b = 1; }, n, z)'\nT m (first)\n")
    #expect(home.run("apply", "-check", "-", input: state) == .init(code: .done))
    let last = "{ Set = { T = { \".l[-1]\" = e; \".l[-2]\" = d; }; }; }"
    #expect(home.run("apply", "-", input: last).code == .done)
    #expect(home.run("read", "T", "l").output == "T l '({b = 1; }, d, e)'\n")
  }

  @Test(
    "beside a key that the administrator sets, the others of a replaced domain are done",
    .enabled(if: !FileManager.default.fileExists(atPath: "/etc/OpenStep/Managed")))
  func managed() throws {
    let managed = home.root.appendingPathComponent("managed")
    try FileManager.default.createDirectory(at: managed, withIntermediateDirectories: true)
    try Data("{ w = fixed; }".utf8).write(to: managed.appendingPathComponent("T.plist"))
    let environment = [
      "OPENSTEP_DEFAULTS_DIR": home.path, "HOME": home.root.path,
      "OPENSTEP_MANAGED_DIR": managed.path,
    ]
    let state = Array("{ Replace = { T = { l = n; w = other; }; }; }".utf8)
    for option in [["-check"], ["-n"], []] {
      let outcome = home.run(["apply"] + option + ["-"], input: state, environment: environment)
      #expect(outcome.code == .refused)
      #expect(outcome.output == "set T l n (was '(a, b, c, d)')\n")
      #expect(outcome.errors.contains("the administrator sets “w” of the domain “T”"), "\(outcome.errors)")
    }
    #expect(home.run("read", "T").output == "T l n\nT w '{x = 1; }'\n")
  }

  @Test("the time to apply many keys grows with their number, also inside one dictionary")
  func growth() throws {
    for prefix in ["", ".w."] {
      let ratio = try TestSupport.growth(from: 1000, to: 4000, bound: 8) { count in
        try home.write("{ w = { x = 1; }; }", to: "T.plist")
        let entries = (0..<count).map { "\"\(prefix)k\($0)\" = v;" }.joined(separator: "\n")
        let start = threadTime()
        let outcome = home.run("apply", "-n", "-", input: "{ Set = { T = { \(entries) }; }; }")
        let time = threadTime() - start
        #expect(outcome.code == .done && outcome.output.count(where: { $0 == "\n" }) == count)
        return time
      }
      #expect(ratio < 8, "“\(prefix)”: \(ratio)")
    }
  }
}
