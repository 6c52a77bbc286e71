import Foundation
import Testing

/// Drivers that do what no driver should: the runner neither hangs nor crashes, and says what is wrong.
@Suite
struct HostileDriverTests {
  @Test(
    "a driver that does not start is told so, with exit code 3",
    arguments: [
      (#"exit 7"#, "ends before its reply to hello"),
      (#"read -r never"#, "does not answer hello"),
      (#"echo hello"#, "a line that is not JSON"),
      (#"echo '{}'"#, "no \"protocol\": 1"),
      (#"echo '{"protocol": 2}'"#, "no \"protocol\": 1"),
      (#"printf '\377\n'"#, "not UTF-8"),
      (#"exec yes"#, "a line that is not JSON"),
      (#"exec tr '\000' x < /dev/zero"#, "a line of more than 1048576 bytes"),
      (#"echo Message >&2; exit 1"#, "\n  Message"),
      (#"printf '{'; exit 0"#, "a line without an end"),
    ])
  func hello(command: String, message: String) throws {
    let runner = try Runner()
    // Only the one that never answers is waited for until the time is over.
    let seconds: Double = command == "read -r never" ? 5 : 300
    let manifest = try runner.driver(hello: command, step: ":", seconds: seconds)
    let result = try runner.run([try runner.questions(1), "--driver", manifest])
    #expect(result.status == 3, "\(result.errors)")
    #expect(result.errors.contains("the driver shell does not start: "))
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test(
    "a reply that breaks the protocol is named, with exit code 3",
    arguments: [
      (#"echo '{"n": 99, "outcome": {"b": true}}'"#, "message 0 is answered by “99”"),
      (#"echo '{"outcome": {"b": true}}'"#, "message 0 is answered by “no n”"),
      (#"echo "{\"n\": $n}""#, "a reply without “outcome”"),
      (#"printf '{"n": 0, "outcome": "\300\200"}\n'"#, "not UTF-8"),
      (#"echo '[]'"#, "no JSON object"),
      (#"echo "{\"n\": $n, \"outcome\": {\"b\": true}}"; echo more"#, "more"),
    ])
  func brokenReply(command: String, message: String) throws {
    let runner = try Runner()
    let manifest = try runner.driver(step: command)
    let result = try runner.run([try runner.questions(8), "--driver", manifest, "--jobs", "1"])
    #expect(result.status == 3, "\(result.errors)")
    #expect(
      result.errors.contains("shell: classic/x/0: ") && result.errors.contains(message), "\(result.errors)")
    // After three in a row the driver is not asked any more.
    #expect(result.output.hasSuffix("  0 of 3\n"), "\(result.output)")
  }

  @Test(
    "a silent driver counts as hanging, and is given up after three questions, whatever the order of answers")
  func silence() throws {
    let runner = try Runner()
    let manifest = try runner.driver(step: ":", seconds: 10)
    let result = try runner.run([try runner.questions(12), "--driver", manifest, "--jobs", "5"])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.output.contains(#"got      {"hangs": true}"#))
    #expect(result.output.hasSuffix("  0 of 3\n"), "\(result.output)")
  }

  @Test("a driver that kills itself aborts at each question, and no other question suffers")
  func suicide() throws {
    let runner = try Runner()
    let manifest = try runner.driver(step: "kill -9 $$")
    let result = try runner.run([try runner.questions(5), "--driver", manifest])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.output.components(separatedBy: #"got      {"aborts": true}"#).count == 6)
    #expect(result.output.hasSuffix("  0 of 5\n"), "\(result.output)")
  }

  @Test("a driver that leaves a pipe, and links to what has no end, keeps nobody waiting")
  func endlessFiles() throws {
    let runner = try Runner()
    let reply = #"echo "{\"n\": $n, \"outcome\": {\"b\": true}}""#
    let command =
      #"[ -p "$HOME/p" ] || { mkfifo "$HOME/p"; ln -s /dev/zero "$HOME/z"; ln -s p "$HOME/q"; ln -s . "$HOME/d"; }; "#
    let manifest = try runner.driver(step: command + reply)
    let question =
      #"{"id": "classic/x/0", "title": "synchronize", "basis": "openstep", "source": "text", "api": "classic", "#
      + #""setup": [["sync"], ["reopen"]], "call": ["sync"], "expect": {"b": true}}"#
    let result = try runner.run([try runner.write(question + "\n", "questions.jsonl"), "--driver", manifest])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }

  @Test("a question for which a driver makes more files than are copied is not repeated from a part of them")
  func countlessFiles() throws {
    let runner = try Runner()
    let reply = #"echo "{\"n\": $n, \"outcome\": {\"b\": true}}""#
    let command = #"(cd "$HOME" && [ -e 1 ] || seq 10001 | xargs touch); "#
    let manifest = try runner.driver(step: command + reply)
    let question =
      #"{"id": "classic/x/0", "title": "synchronize", "basis": "openstep", "source": "text", "api": "classic", "#
      + #""setup": [["sync"], ["reopen"]], "call": ["sync"], "expect": {"b": true}}"#
    let result = try runner.run([try runner.write(question + "\n", "questions.jsonl"), "--driver", manifest])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.output.contains("a home directory of 10000 files"), "\(result.output)")
  }

  @Test("a driver that writes without reading is stopped at a line's length")
  func flood() throws {
    let runner = try Runner()
    let manifest = try runner.driver(step: #"exec tr '\000' x < /dev/zero"#)
    let result = try runner.run([try runner.questions(1), "--driver", manifest])
    #expect(result.status == 3, "\(result.output)\(result.errors)")
    #expect(result.errors.contains("a line of more than 1048576 bytes"))
  }

  @Test("a driver that does not end well aborts at its exit")
  func badEnd() throws {
    let runner = try Runner()
    let reply = #"echo "{\"n\": $n, \"outcome\": {\"b\": true}}""#
    // It ends well where it was asked nothing, so that it starts.
    let manifest = try runner.driver(step: reply + "; replied=1", end: "exit ${replied:-0}")
    let result = try runner.run([try runner.questions(1), "--driver", manifest])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.output.contains(#"got      {"abortsAtExit": true}"#), "\(result.output)")
  }

  @Test("processes that a driver leaves behind are ended, and keep nobody waiting")
  func forking() throws {
    let runner = try Runner()
    let note = runner.folder.appendingPathComponent("left").path
    let pipe = runner.folder.appendingPathComponent("held").path
    try #require(mkfifo(pipe, 0o600) == 0)
    let held = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(held >= 0)
    defer { close(held) }
    let step = "(trap '' HUP TERM; exec sleep 600 9> '\(pipe)') & echo $! >> '\(note)'; "
    let manifest = try runner.driver(step: step + #"echo "{\"n\": $n, \"outcome\": {\"b\": true}}""#)
    let result = try runner.run([try runner.questions(4), "--driver", manifest])
    #expect(result.status == 0, "\(result.errors)\(result.output)")
    #expect(result.output.hasSuffix("  4 of 4\n"))
    #expect(try runner.text("left").split(separator: "\n").count == 4)
    // The pipe has its end when the last of them has ended.
    var byte: UInt8 = 0
    var count = read(held, &byte, 1)
    while count < 0, errno == EAGAIN {
      var request = pollfd(fd: held, events: Int16(POLLIN), revents: 0)
      try #require(poll(&request, 1, 300_000) == 1)
      count = read(held, &byte, 1)
    }
    #expect(count == 0)
  }

  @Test("a driver that floods standard error answers as if it did not, and little of it is kept")
  func noise() throws {
    let runner = try Runner()
    let reply = #"echo "{\"n\": $n, \"outcome\": {\"b\": false}}""#
    let manifest = try runner.driver(step: "head -c 3000000 /dev/zero | tr '\\000' x >&2; " + reply)
    let result = try runner.run([try runner.questions(2), "--driver", manifest])
    #expect(result.status == 1, "\(result.errors.prefix(1000))")
    #expect(result.output.hasSuffix("  0 of 2\n"))
    #expect(result.output.utf8.count < 200_000)
  }

  @Test("a driver that reads no message does not block the runner")
  func deafness() throws {
    let runner = try Runner()
    // A text that is longer than a pipe holds.
    let base64 = Data(repeating: 0x61, count: 600_000).base64EncodedString()
    let question = #"{"id": "text/x/1", "input_base64": "\#(base64)", "expect": {"error": true}}"#
    let path = try runner.write(question + "\n", "text.jsonl")
    let manifest = try runner.driver(step: ":", seconds: 10)
    let script = """
      #!/bin/sh
      read -r line
      echo '{"protocol": 1}'
      case "$line" in *text*) exec sleep 600 ;; esac

      """
    _ = try runner.write(script, "driver.sh", isProgram: true)
    let result = try runner.run([path, "--driver", manifest])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.output.contains(#"got      {"hangs": true}"#), "\(result.output.suffix(500))")
  }

  @Test("texts go on in a new process, and after three failures in a row the rest is not run")
  func texts() throws {
    let runner = try Runner()
    let lines = (0..<9).map {
      #"{"id": "text/x/\#($0)", "input_base64": "YQ==", "expect": {"value": {"s": "a"}}}"#
    }
    let path = try runner.write(lines.joined(separator: "\n") + "\n", "text.jsonl")
    // The first process dies at its second text, and so does every other; each second question is answered.
    let dying = #"[ $n = 1 ] && kill -9 $$; echo "{\"n\": $n, \"outcome\": {\"value\": {\"s\": \"a\"}}}""#
    let result = try runner.run([path, "--driver", try runner.driver(step: dying)])
    #expect(result.output.hasSuffix("  5 of 9\n"), "\(result.output)")
    let dead = try runner.run([path, "--driver", try runner.driver(step: "kill -9 $$")])
    #expect(dead.output.hasSuffix("  0 of 3\n"), "\(dead.output)")
  }
}
