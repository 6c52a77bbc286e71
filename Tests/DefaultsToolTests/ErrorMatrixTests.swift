import DefaultsDatabase
import Foundation
import TestSupport
import Testing

@testable import DefaultsTool

/// What each verb does where it cannot work: its exit code, and that every file keeps its bytes.
struct ErrorMatrixTests {
  /// Command lines of one verb, as a shell takes them; `X` is a domain, `f` a file that “apply” takes.
  private struct Row {
    /// Lines with an option that the verb does not have; exit code 1.
    var unknownOption: [String]
    /// Lines that lack an operand, or an option's word; exit code 1.
    var missingOperand: [String] = []
    /// Lines that come upon a damaged domain or file; exit code 4.
    var damaged: [String] = []
    /// Lines that replace or remove the damaged domain `X` as a whole: exit code 0, and its file is kept.
    var replacing: [String] = []
    /// Lines that change the domain `X`: while its lock is held, exit code 3; in a directory that cannot be written, 5.
    var changing: [String] = []
    /// Lines that change something which needs no lock of the database: 5 in a directory that cannot be written.
    var writing: [String] = []
    /// Lines that print something; exit code 5 where the output takes nothing.
    var printing: [String] = []
  }

  private static let rows: [String: Row] = [
    "read": Row(
      unknownOption: ["read -frob", "read -frob X"], missingOperand: ["read -to", "read -default"],
      damaged: ["read", "read X", "read X k", "read ./bad"],
      printing: ["read", "read X", "read X k", "read -to xml X"]),
    "read-type": Row(
      unknownOption: ["read-type -frob X k"], missingOperand: ["read-type", "read-type X"],
      damaged: ["read-type X k"], printing: ["read-type X k"]),
    "readkey": Row(
      unknownOption: ["readkey -frob"], missingOperand: ["readkey"], damaged: ["readkey k"],
      printing: ["readkey k"]),
    "write": Row(
      unknownOption: ["write -frob X k v"],
      missingOperand: ["write X", "write X k", "write -domain", "write X k -int"],
      damaged: ["write X k w", "write -n X k w", "write X .l[+] w", "write ./bad k v"],
      replacing: ["write X '{ k = w; }'", "write X '{}'"],
      changing: ["write X k w", "write X '{ k = w; }'", "write X .l[+] w"], writing: ["write closed/new k v"],
      printing: ["write -n X k w"]),
    "rename": Row(
      unknownOption: ["rename -frob X k l"], missingOperand: ["rename", "rename X", "rename X k"],
      damaged: ["rename X k z", "rename -n X k z"], changing: ["rename X k z"],
      printing: ["rename -n X k z"]),
    "delete": Row(
      unknownOption: ["delete -frob X"], missingOperand: ["delete -app"],
      damaged: ["delete X k", "delete -n X k", "delete ./bad k"], replacing: ["delete X"],
      changing: ["delete X k", "delete X"],
      writing: ["delete closed/x"], printing: ["delete -n X k", "delete -n X"]),
    "delete-all": Row(
      unknownOption: ["delete-all -frob X"], missingOperand: ["delete-all"],
      damaged: ["delete-all X k"], replacing: ["delete-all X"], changing: ["delete-all X", "delete-all X k"],
      printing: ["delete-all -n X"]),
    "domains": Row(unknownOption: ["domains -frob"], printing: ["domains"]),
    "find": Row(
      unknownOption: ["find -frob k"], missingOperand: ["find", "find -part"], damaged: ["find k"],
      printing: ["find k"]),
    "explain": Row(
      unknownOption: ["explain -frob X k"], missingOperand: ["explain", "explain X", "explain -to"],
      damaged: ["explain X k"], printing: ["explain X k", "explain -to json X k"]),
    "diff": Row(
      unknownOption: ["diff -frob X Y"], missingOperand: ["diff", "diff X", "diff -to"],
      damaged: ["diff X Y", "diff Y X", "diff @s", "diff ./bad Y"],
      printing: ["diff X Y", "diff -to json X Y", "diff -to commands X Y"]),
    "merge": Row(
      unknownOption: ["merge -frob base ours theirs"],
      missingOperand: ["merge", "merge base ours", "merge -L", "merge -P"],
      printing: ["merge -p base ours theirs"]),
    "watch": Row(unknownOption: ["watch -frob"], missingOperand: ["watch -domain"]),
    "apply": Row(
      unknownOption: ["apply -frob f"], missingOperand: ["apply", "apply -n"],
      damaged: ["apply f", "apply -n f", "apply bad.plist"], replacing: ["apply whole"],
      changing: ["apply f"],
      printing: ["apply -n f"]),
    "log": Row(
      unknownOption: ["log -frob"], missingOperand: ["log -domain"], writing: ["log -clear"],
      printing: ["log", "log -p"]),
    "undo": Row(
      unknownOption: ["undo -frob"], missingOperand: ["undo -app"], damaged: ["undo", "undo -n"],
      changing: ["undo"], printing: ["undo -n"]),
    "snapshot": Row(
      unknownOption: ["snapshot -frob"], missingOperand: ["snapshot -delete"],
      writing: ["snapshot t", "snapshot -delete s"], printing: ["snapshot"]),
    "restore": Row(
      unknownOption: ["restore -frob s"], missingOperand: ["restore", "restore -n"],
      replacing: ["restore s", "restore s X"], changing: ["restore s"], printing: ["restore -n s"]),
    "lint": Row(
      unknownOption: ["lint -frob x.plist"], missingOperand: ["lint"], damaged: ["lint bad.plist"],
      printing: ["lint x.plist"]),
    "convert": Row(
      unknownOption: ["convert -frob x.plist"],
      missingOperand: ["convert", "convert -to", "convert -to xml"],
      damaged: ["convert -to xml bad.plist"], printing: ["convert -to xml x.plist"]),
    "import": Row(
      unknownOption: ["import -frob X x.plist"], missingOperand: ["import", "import -from", "import -"],
      damaged: ["import X x.plist", "import -merge X x.plist", "import Z bad.plist"],
      replacing: ["import -replace X x.plist"],
      changing: ["import -merge X x.plist", "import -replace X x.plist"],
      printing: ["import -n -merge X x.plist"]),
    "export": Row(
      unknownOption: ["export -frob X -"], missingOperand: ["export", "export X", "export -into"],
      damaged: ["export X -", "export -into out X"],
      writing: ["export X closed/out", "export -into closed/out X"],
      printing: ["export X -"]),
    "edit": Row(unknownOption: ["edit -frob X"], missingOperand: ["edit"]),
    "doctor": Row(unknownOption: ["doctor -frob"], damaged: ["doctor", "doctor X"], printing: ["doctor"]),
    "paths": Row(unknownOption: ["paths -frob"], printing: ["paths"]),
    "torture": Row(
      unknownOption: ["torture -frob"], missingOperand: ["torture -dir", "torture -kills"],
      writing: ["torture -dir closed"]),
    "completion": Row(
      unknownOption: ["completion -frob"], missingOperand: ["completion", "completion -words"],
      printing: ["completion bash", "completion -words 2 defaults re"]),
    "help": Row(unknownOption: ["help -frob"], printing: ["help", "help read", "help -man", "-version"]),
  ]

  private static func lines(_ part: KeyPath<Row, [String]>) -> [String] {
    DefaultsCommand.table.flatMap { rows[$0.name]?[keyPath: part] ?? [] }
  }

  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    try home.write("{ k = v; l = (a); }", to: "X.plist")
    try home.write("{ k = w; }", to: "Y.plist")
    #expect(home.run("snapshot", "s").code == .done)
    #expect(home.run("write", "X", "k", "x").code == .done)
    for (name, text) in [
      ("x.plist", "{ k = import; }"), ("bad.plist", "{ k = "),
      ("f", "{ Set = { X = { k = applied; }; }; }"), ("whole", "{ Replace = { X = { k = applied; }; }; }"),
      ("base", "{ k = 1; }"), ("ours", "{ k = 2; }"),
      ("theirs", "{ k = 1; l = 1; }"),
    ] {
      try Data(text.utf8).write(to: home.root.appendingPathComponent(name))
    }
  }

  /// Runs each line by a shell of its own, all at the same time, and expects one exit code and one message of each.
  private func run(
    _ lines: [String], expecting code: Int32, tool: String = "defaults", into output: String? = nil
  ) throws {
    var script = ""
    for (index, line) in lines.enumerated() {
      let destination = output ?? ".out\(index)"
      script += "{ \(tool) \(line) </dev/null >\(destination) 2>.err\(index); echo $? >.code\(index); } &\n"
    }
    #expect(try home.shell(script + "wait", by: "/bin/bash").status == 0)
    for (index, line) in lines.enumerated() {
      func text(_ name: String) throws -> String {
        try String(contentsOf: home.root.appendingPathComponent("\(name)\(index)"), encoding: .utf8)
      }
      let errors = try text(".err")
      #expect(try text(".code") == "\(code)\n", "\(line): \(errors)")
      // The findings of “doctor” are its result.
      if !line.hasPrefix("doctor") || code != 4 {
        #expect(errors.contains("defaults: "), "\(line) says nothing")
      }
      if code == 1 {
        #expect(errors.contains("see “defaults help"), "\(line): \(errors)")
        #expect(try text(".out").isEmpty, "\(line)")
      }
    }
  }

  /// The bytes of the files in the database, but for the history's, and in the home directory.
  private func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for folder in [home.root, home.database] {
      for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      where !url.lastPathComponent.hasPrefix(".") && !url.hasDirectoryPath {
        files[url.path] = try Data(contentsOf: url)
      }
    }
    return files
  }

  @Test("every verb has its row")
  func completeness() {
    for command in DefaultsCommand.table {
      let row = ErrorMatrixTests.rows[command.name]
      #expect(row?.unknownOption.isEmpty == false, "\(command.name)")
      for line in row?.unknownOption ?? [] { #expect(line.hasPrefix(command.name)) }
    }
  }

  @Test("an option that a verb does not have, and a missing operand, exit 1 and change nothing")
  func usage() throws {
    let before = try files()
    try run(ErrorMatrixTests.lines(\.unknownOption), expecting: 1)
    try run(ErrorMatrixTests.lines(\.missingOperand), expecting: 1)
    #expect(try files() == before)
  }

  @Test("a damaged domain or file exits 4, and keeps every byte")
  func damage() throws {
    try home.write("{ k = v; l = ", to: "X.plist")
    let before = try files()
    try run(ErrorMatrixTests.lines(\.damaged), expecting: 4)
    #expect(try files() == before)
  }

  @Test("a damaged domain is replaced and removed as a whole, and its file is kept where the message says")
  func replacedDamage() throws {
    let damage = "{ k = v; l = "
    let kept = "defaults: \(home.path)/X.plist: was damaged; the damaged file was kept as "
    for line in ErrorMatrixTests.lines(\.replacing) {
      try home.write(damage, to: "X.plist")
      let outcome = try home.shell("defaults \(line)")
      #expect(outcome.status == 0, "\(line): \(outcome)")
      let message = try #require(
        outcome.errors.split(separator: "\n").first { $0.hasPrefix(kept) }, "\(line): \(outcome.errors)")
      #expect(
        try String(contentsOfFile: String(message.dropFirst(kept.count)), encoding: .utf8) == damage,
        "\(line)")
      #expect(home.run("read", "X").code != .damaged, "\(line)")
      #expect(home.run("undo").code == .done, "\(line)")
      #expect(try home.text(of: "X.plist") == damage, "\(line): undo puts the damaged file back")
    }
  }

  @Test("a rehearsal of such a line tells of the damage, and changes nothing")
  func rehearsedDamage() throws {
    try home.write("{ k = v; l = ", to: "X.plist")
    let before = try files()
    let lines = [
      ("write -n X '{ k = w; }'", "+X k w\n"), ("delete -n X", ""), ("delete-all -n X", ""),
      ("apply -n whole", "set X k applied\n"),
      (
        "import -n -replace X x.plist",
        "would replace X: keys: 1, from x.plist, OPENSTEP's text\ndry run: domains: 1, keys: 1, not carried: 0\n"
      ),
    ]
    for (line, output) in lines {
      let outcome = try home.shell("defaults \(line)")
      #expect(outcome.status == 0 && outcome.output == output, "\(line): \(outcome)")
      #expect(outcome.errors.hasPrefix("defaults: \(home.path)/X.plist:"), "\(line): \(outcome.errors)")
      #expect(outcome.errors.contains("the damaged file would be kept under another name\n"), "\(line)")
    }
    #expect(try files() == before)
  }

  @Test("a change of one key of a damaged domain says what helps")
  func advice() throws {
    try home.write("{ k = v; l = ", to: "X.plist")
    let lines = [
      ["write", "X", "k", "w"], ["delete", "X", "k"], ["rename", "X", "k", "z"], ["read", "X"],
    ]
    for outcome in lines.map({ home.run($0) }) + [
      home.run("write", input: "X k w\n"), home.run("delete", input: "X k\n"),
    ] {
      #expect(outcome.code == .damaged)
      for verb in ["doctor -repair", "edit", "delete"] {
        #expect(outcome.errors.contains("“defaults \(verb)”"), "\(outcome.errors)")
      }
    }
  }

  @Test("a line of a batch that replaces a whole domain replaces a damaged one, and others of it are refused")
  func batchOverDamage() throws {
    try home.write("{ k = v; l = ", to: "X.plist")
    let outcome = home.run("write", input: "X '{ k = w; }'\nX j 1\nY k 1\n")
    #expect(outcome.code == .done && outcome.output.isEmpty)
    #expect(
      outcome.errors.hasPrefix("defaults: \(home.path)/X.plist: was damaged; the damaged file was kept as "))
    #expect(home.run("read").output == "X j 1\nX k w\nY k 1\n")
    try home.write("{ k = v; l = ", to: "X.plist")
    #expect(home.run("write", input: "X j 1\nY k 2\n").code == .damaged)
    #expect(home.run("read", "Y").output == "Y k 1\n")
  }

  @Test("a lock that another process holds exits 3, and nothing is changed")
  func lock() throws {
    let lock = open("\(home.path)/.lock", O_RDWR | O_CLOEXEC)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX) == 0)
    let before = try files()
    try run(ErrorMatrixTests.lines(\.changing), expecting: 3)
    #expect(try files() == before)
  }

  @Test("a directory that cannot be written exits 5, and nothing is changed")
  func readOnly() throws {
    let before = try files()
    // The administrator may write everywhere, and takes the rights of a user who may not.
    let isAdministrator = CurrentProcess.effectiveUser == 0
    #if os(Linux)
      let tool = isAdministrator ? "inHome $HOME/tool" : "defaults"
    #else
      try #require(!isAdministrator, "another user's rights can be taken on Linux only")
      let tool = "defaults"
    #endif
    let owner = isAdministrator ? "chown -R 65534 $D $HOME;" : ""
    let script = """
      mkdir closed; cp ours closed/x.plist; cp -L $defaults $HOME/tool; \(owner) chmod 755 $HOME/tool
      chmod -R a-w $D closed
      """
    #expect(try home.shell(script).status == 0)
    defer { _ = try? home.shell("chmod -R u+w $D closed") }
    let lines = ErrorMatrixTests.lines(\.changing) + ErrorMatrixTests.lines(\.writing)
    let inHome = "inHome() { chroot --userspec=65534:65534 / sh -c 'cd $0 && exec \"$@\"' $HOME \"$@\"; }; "
    try run(lines, expecting: 5, tool: isAdministrator ? inHome + tool : tool)
    // git takes a code above 128 for a failure.
    try run(
      ["merge base closed/x.plist theirs"], expecting: 133, tool: isAdministrator ? inHome + tool : tool)
    #expect(try files().filter { before[$0.key] != nil } == before)
  }

  @Test(
    "output that goes nowhere exits 5, whatever the verb",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullOutput() throws {
    try run(ErrorMatrixTests.lines(\.printing), expecting: 5, into: "/dev/full")
    let script = """
      defaults watch X > /dev/full 2> .err & watcher=$! number=0
      while kill -0 $watcher 2> .gone && [ $((number += 1)) -lt 6000 ]; do defaults write X k $number; done
      [ $number -lt 6000 ] || kill -KILL $watcher
      wait $watcher; echo $?; cat .err
      """
    #expect(
      try home.shell(script, by: "/bin/bash").output
        == "5\ndefaults: standard output: No space left on device\n")
  }

  @Test("what was changed is changed, and can be undone, where only the output fails")
  func changedAllTheSame() throws {
    let script = """
      defaults write Y k 2; printf '{ Set = { A = { k = 1; }; B = { k = 1; }; }; }' > g
      defaults apply g > /dev/full; echo $?; defaults read A k; defaults read B k
      defaults undo > /dev/full; echo $?; defaults domains
      defaults snapshot u; defaults write A k 1; defaults write B k 1
      defaults restore u > /dev/full; echo $?; defaults domains
      """
    #expect(try home.shell(script).output == "5\nA k 1\nB k 1\n5\nX\nY\n5\nX\nY\n")
  }

  @Test("a closed pipe does not end a command halfway")
  func closedPipe() throws {
    let value = String(repeating: "x", count: 40_000)
    let lines = (0..<8).map { "D\($0) k \(value)\n" }.joined()
    let script = """
      defaults write; trap '' PIPE
      { defaults undo; echo $? >&2; } | true
      defaults domains | wc -l | tr -d ' '
      """
    let outcome = try home.shell(script, input: lines)
    #expect(outcome == .init(status: 0, output: "2\n", errors: "0\n"))
    // The same for standard error: the messages are lost, and the exit code tells.
    let batch = """
      printf 'X none\nX k\nY none\nY k\n' | { defaults delete 2>&1; echo $? > code; } | true
      cat code; defaults domains; defaults read
      """
    #expect(try home.shell(batch).output == "2\nX\nX l (a)\n")
  }
}
