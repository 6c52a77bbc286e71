import BenchmarkKit
import Testing

struct TargetsTests {
  @Test("each row has its bounds by the other's name")
  func bounds() throws {
    let targets = try Targets(
      text:
        "{ \"a row\" = { Peer = {TimesFaster = 8; }; Dictionary = {AtMost = 0.8; }; }; b = { Ours = {AtLeast = 1; }; }; }"
    )
    #expect(targets.names == ["a row", "b"])
    #expect(targets.of("a row") == [Target("Dictionary", .atMost(0.8)), Target("Peer", .timesFaster(8))])
    #expect(targets.of("b") == [Target("Ours", .atLeast(1))])
    #expect(targets.of("c").isEmpty)
  }

  @Test(
    "a mistake in the file is named with its place",
    arguments: [
      ("(a)", "the targets are no dictionary"),
      ("{ a = b; }", "the targets of “a” are no dictionary"),
      ("{ a = { b = 1; }; }", "“a”, “b”: expected a dictionary such as {AtMost = 0.8;}"),
      ("{ a = { b = {Atmost = 1; }; }; }", "“a”, “b”: “Atmost” is none of AtMost, AtLeast and TimesFaster"),
      ("{ a = { b = {AtMost = fast; }; }; }", "“a”, “b”: the bound “AtMost” is no number"),
    ])
  func mistakes(text: String, message: String) {
    #expect(throws: Targets.Mistake(description: message)) { try Targets(text: text) }
  }
}
