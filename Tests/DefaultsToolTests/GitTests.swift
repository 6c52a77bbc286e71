import Foundation
import TestSupport
import Testing

/// git with this tool as its merge driver and its textconv, on a repository of dotfiles.
@Suite(.enabled(if: isGitExpected, "git is not installed"))
struct GitTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
    let script = """
      set -e; mkdir dotfiles; cd dotfiles; git init -q -b main .
      git config user.email ann@example.org; git config user.name Ann
      git config merge.defaults.driver "defaults merge -L %L -P %P %O %A %B"
      git config diff.defaults.textconv "defaults convert -to flat -textconv --"
      echo '*.plist merge=defaults diff=defaults' > .gitattributes
      printf '{\\n  a = 1;\\n  b = 1;\\n  l = (x);\\n}\\n' > App.plist
      git add .; git commit -qm base; git branch other
      """
    #expect(try home.shell(script) == .init(status: 0))
  }

  /// Runs a script in the repository.
  private func git(_ script: String) throws -> ToolHome.ShellOutcome {
    try home.shell("cd dotfiles; \(script)", environment: ["GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat"])
  }

  /// Commits a text on one branch and another on the other; the first is checked out then.
  private func commit(ours: String, theirs: String) throws {
    func write(_ text: String) throws {
      try Data(text.utf8).write(to: home.root.appendingPathComponent("dotfiles/App.plist"))
    }
    #expect(try git("git checkout -q other").status == 0)
    try write(theirs)
    #expect(try git("git commit -qam theirs; git checkout -q main").status == 0)
    try write(ours)
    #expect(try git("git commit -qam ours").status == 0)
  }

  @Test("different new keys come together with their comments; rebase does the same")
  func newKeys() throws {
    try commit(
      ours: "{\n  a = 1;\n  b = 1;\n  l = (x);\n  // mine\n  m = 1;\n}\n",
      theirs: "{\n  a = 1;\n  b = 1;\n  l = (x);\n  // theirs\n  t = 1; // tail\n}\n")
    let merged =
      "{\n  a = 1;\n  b = 1;\n  l = (x);\n  // mine\n  m = 1;\n  // theirs\n  t = 1; // tail\n}\n"
    #expect(
      try git("git checkout -q -b copy; git merge -q -m merged other >../merged; cat App.plist").output
        == merged)
    let rebased = try git("git checkout -q main; git rebase -q other; cat App.plist; git status --short")
    let other =
      "{\n  a = 1;\n  b = 1;\n  l = (x);\n  // mine\n  m = 1;\n  // theirs\n  t = 1; // tail\n}\n"
    #expect(rebased.output == other, "\(rebased)")
  }

  @Test("two different tails of an array conflict; one tail and another change come together")
  func arrays() throws {
    try commit(
      ours: "{\n  a = 1;\n  b = 1;\n  l = (x, mine);\n}\n",
      theirs: "{\n  a = 1;\n  b = 1;\n  l = (x, theirs);\n}\n")
    let conflict = try git(
      "git merge -q other >../merged; echo $?; cat App.plist; git diff | grep -c '^[ +-]*<<<<<<<'")
    #expect(
      conflict.output == """
        1
        {
          a = 1;
          b = 1;
        <<<<<<< ours App.plist
          l = (x, mine);
        =======
          l = (x, theirs);
        >>>>>>> theirs App.plist
        }
        1

        """, "\(conflict)")
    #expect(
      conflict.errors.contains("defaults: conflict: App.plist: l: ours (x, mine), theirs (x, theirs)"))
    // While it lasts, each command of git that shows differences works.
    for command in ["git diff", "git diff HEAD", "git diff --ours", "git log -p", "git status", "git show"] {
      let outcome = try git("\(command) >/dev/null; echo $?")
      #expect(outcome.output == "0\n" && outcome.errors.isEmpty, "\(command): \(outcome)")
    }
    try commitResolved()
    try commit(
      ours: "{\n  a = 1;\n  b = 1;\n  l = (x, mine, more);\n}\n",
      theirs: "{\n  a = 1;\n  b = 1;\n  l = (y, mine);\n}\n")
    #expect(
      try git("git merge -q -m merged other >../merged && cat App.plist").output
        == "{\n  a = 1;\n  b = 1;\n  l = (y, mine, more);\n}\n")
  }

  /// Takes this side's array, and makes both branches equal.
  private func commitResolved() throws {
    let script = """
      printf '{\\n  a = 1;\\n  b = 1;\\n  l = (x, mine);\\n}\\n' > App.plist
      git commit -qam resolved; git branch -qf other main
      """
    #expect(try git(script).status == 0)
  }

  @Test("a rebase stops at a conflict with both sides in the file, and goes on when it is resolved")
  func rebase() throws {
    try commit(
      ours: "{\n  a = 2;\n  b = 1;\n  l = (x);\n}\n", theirs: "{\n  a = 3;\n  b = 2;\n  l = (x);\n}\n")
    let stopped = try git("git rebase -q other >out 2>&1; echo $?; cat App.plist; rm out")
    #expect(
      stopped.output == """
        1
        {
        <<<<<<< ours App.plist
          a = 3;
        =======
          a = 2;
        >>>>>>> theirs App.plist
          b = 2;
          l = (x);
        }

        """, "\(stopped)")
    let script = """
      printf '{\\n  a = 2;\\n  b = 2;\\n  l = (x);\\n}\\n' > App.plist; git add App.plist
      GIT_EDITOR=true git rebase --continue >out 2>&1; echo $?; rm out; git log --oneline | wc -l | tr -d ' '
      """
    #expect(try git(script).output == "0\n3\n")
  }

  @Test("git log -p goes over a commit in which a file is damaged, and shows it as it is")
  func damagedCommit() throws {
    let script = """
      printf '{ a = ' > App.plist; git commit -qam damaged
      printf '{\\n  a = 9;\\n}\\n' > App.plist; git commit -qam repaired
      git log -p --format=%s; echo $?
      """
    let outcome = try git(script)
    #expect(outcome.output.hasSuffix("\n0\n") && outcome.errors.isEmpty, "\(outcome)")
    for line in ["repaired", "damaged", "base", "+{ a = ", "-{ a = ", "+.a 9", "-.a 1"] {
      #expect(outcome.output.split(separator: "\n").contains(Substring(line)), "\(line)\n\(outcome.output)")
    }
  }

  @Test("a side that is damaged is merged line by line, marked, and loses nothing")
  func damagedSide() throws {
    try commit(
      ours: "{\n  a = 2;\n  b = 1;\n  l = (x);\n}\n", theirs: "{\n  a = 1;\n  b = ;;\n  l = (x\n}\n")
    let outcome = try git("git merge -q other >../merged; echo $?; cat App.plist")
    #expect(outcome.output.hasPrefix("1\n"))
    for line in ["  a = 2;", "  b = ;;", "  l = (x"] {
      #expect(outcome.output.split(separator: "\n").contains(Substring(line)), "\(line)\n\(outcome.output)")
    }
    #expect(outcome.errors.contains("App.plist: merged line by line: THEIRS:3:8: "))
  }

  // git took OURS alone for the result of a merge that had not begun.
  @Test("a file whose name is no UTF-8 is merged, and so is one with marks of any size")
  func oddMerges() throws {
    let script = #"""
      name=$(printf 'caf\351.plist')
      git checkout -q other && printf '{\n  a = 1;\n  b = 1;\n}\n' > "$name" && git add . && git commit -qm base
      git checkout -q -b theirs && printf '{\n  a = 1;\n  b = 2;\n}\n' > "$name" && git commit -qam theirs
      git checkout -q other && printf '{\n  a = 2;\n  b = 1;\n}\n' > "$name" && git commit -qam ours
      """#
    #expect(try git(script).status == 0)
    let merged = try git(#"git merge -q -m merged theirs >../merged 2>&1 && cat "$(printf 'caf\351.plist')""#)
    #expect(merged.output == "{\n  a = 2;\n  b = 2;\n}\n", "\(merged)")
    // More signs than a mark has, and a style that the verb does not use.
    let odd = try git(
      """
      git reset -q --hard HEAD~1; echo '*.plist conflict-marker-size=100000' >> .gitattributes
      DEFAULTS_STYLE=none git merge -q -m merged theirs >../merged 2>&1
      """)
    #expect(odd.status == 0, "\(odd)")
  }

  @Test("git shows files of any name", arguments: ["caf\\351.plist", "-x.plist", "-"])
  func oddNames(name: String) throws {
    let shown = try git(
      """
      echo '- diff=defaults' >> .gitattributes; name=$(printf -- '\(name)')
      printf '{ a = 1; }' > "./$name"; git add .; git commit -qm new
      printf '{ a = 2; }' > "./$name"; git diff | tail -n 2
      """)
    #expect(shown.output == "-.a 1\n+.a 2\n", "\(shown)")
  }

  // git has its copies of committed files where TMPDIR tells.
  @Test(
    "of a name that is not UTF-8 the administrator reads what the owner of the directory may read",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func oddNamesOfUsers() throws {
    #expect(chmod(home.root.path, 0o755) == 0)
    let shown = try git(
      """
      mkdir ../copies; ln -s copies ../link; name=$(printf 'caf\\351.plist')
      printf '{ a = 1; }' > "./$name"; git add .; git commit -qm new
      TMPDIR="$PWD/../link" git log -p -1 | tail -n 1; cd ..
      show() { $defaults convert -to flat -textconv -- "$1/$name" 2>&1; echo "$?"; }
      mkdir -m 777 open; cp "dotfiles/$name" open/; chmod 600 "open/$name"; show open; chmod 644 "open/$name"; show open
      mkdir user; cp "dotfiles/$name" user/; chmod 600 "user/$name"; chown 65534 user; show user
      chown 65534 "user/$name"; show user
      mkfifo fifo; mv fifo "copies/$name"; show copies
      ln -sf ../dotfiles/App.plist "user/$name"; chown -h 65534 "user/$name"; show user
      """)
    let denied = "cannot be opened: Permission denied; check the permissions and the owner"
    let expected = [
      "+.a 1", "defaults: “open/caf%E9.plist”: \(denied)", "5", ".a 1", "0",
      "defaults: “user/caf%E9.plist”: \(denied)", "5", ".a 1", "0",
      "defaults: “copies/caf%E9.plist”: is no regular file; nothing was read", "3",
      "defaults: “user/caf%E9.plist”: cannot be opened: Too many levels of symbolic links; the symbolic links form a cycle, or one of them may not be followed",
      "5",
    ]
    #expect(shown.output.split(separator: "\n").map(String.init) == expected, "\(shown)")
  }

  @Test(
    "the administrator reads in directories whose names are not UTF-8 where they are its own",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  func oddDirectories() throws {
    #expect(chmod(home.root.path, 0o755) == 0)
    let shown = try git(
      """
      name=$(printf 'caf\\351'); mkdir "$name" "$name/inner"; echo '{ a = 1; }' > "$name/inner/App.plist"
      git add .; git commit -qm new; echo '{ a = 2; }' > "$name/inner/App.plist"; git diff | tail -n 1
      (cd "$name/inner"; defaults convert -to flat -textconv -- App.plist)
      defaults convert -to flat -textconv -- "$name/none/App.plist"; echo "$?"
      chown 65534 "$name/inner"; defaults convert -to flat -textconv -- "$name/inner/App.plist"; echo "$?"
      """)
    #expect(shown.output == "+.a 2\n.a 2\n5\n3\n", "\(shown)")
    #expect(
      shown.errors
        == "defaults: “caf%E9/none/App.plist”: cannot be opened: No such file or directory\ndefaults: “caf%E9/inner/App.plist”: does not lie in the administrator's own directories, and their names are not UTF-8; nothing was read; do it as the user whose directory it is\n",
      "\(shown)")
  }
}

/// Whether tests of git are to run: it is there, or its absence is a failure.
private let isGitExpected =
  BuildServer.isRunning || FileManager.default.isExecutableFile(atPath: "/usr/bin/git")
