import Foundation
import TestSupport
import Testing

/// The built executable, as a shell meets it.
struct ExecutableTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// Runs a shell script in which `$defaults` is the tool; gives its exit status and what it printed.
  private func shell(_ script: String, input: String = "") throws -> (Int32, String, String) {
    let outcome = try home.shell(script, input: input)
    return (outcome.status, outcome.output, outcome.errors)
  }

  @Test("the process's exit status, output and errors are the tool's")
  func statuses() throws {
    #expect(try shell("$defaults write App Name 'two words'") == (0, "", ""))
    #expect(try shell("$defaults read") == (0, "App Name 'two words'\n", ""))
    #expect(try shell("$defaults read App None").0 == 2)
    #expect(try shell("$defaults frobnicate").0 == 1)
    #expect(try shell("$defaults write '' k v").0 == 3)
    #expect(try shell("$defaults diff App -g").0 == 2)
    #expect(try shell("$defaults lint /nonexistent").0 == 5)
    let (status, output, errors) = try shell(
      "printf '{ a = b; c = ' > $OPENSTEP_DEFAULTS_DIR/App.plist; $defaults write App k v")
    #expect(status == 4 && output.isEmpty)
    #expect(errors.contains("/App.plist:1:14: "))
    #expect(try home.text(of: "App.plist") == "{ a = b; c = ")
  }

  @Test("a relative name leads through symbolic links as the system has it")
  func relativeName() throws {
    let script = """
      cd $HOME; mkdir -p far/inside; ln -s far/inside link; echo '(x)' > far/file; echo '(' > file
      $defaults lint link/../file
      """
    #expect(try shell(script) == (0, "link/../file: OK\n", ""))
  }

  @Test(
    "a file's operand may be a pipe into which a process writes, and one without such a process is refused")
  func pipes() throws {
    let good = "echo '{ k = v; }'"
    for script in [
      "$defaults lint <(\(good))", "\(good) | $defaults lint /dev/stdin", "\(good) | $defaults lint -",
    ] {
      // Not every shell has process substitution.
      let (status, output, errors) = try shell("exec bash -s", input: script)
      #expect(status == 0 && output.hasSuffix(": OK\n") && errors.isEmpty, "\(script): \(output) \(errors)")
    }
    let reason = "is a pipe into which no process writes\n"
    let pipe = "\(home.root.path)/pipe"
    #expect(
      try shell("mkfifo $HOME/pipe; $defaults lint $HOME/pipe") == (5, "", "defaults: \(pipe): \(reason)"))
    #expect(
      try shell("mv $HOME/pipe $HOME/pipe.plist; $defaults read $HOME/pipe k")
        == (5, "", "defaults: \(pipe).plist: \(reason)"))
  }

  #if os(Linux)
    @Test(
      "a tool that gets rights from its file's capabilities ignores the location that the environment names",
      .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
    func capabilities() throws {
      let run = """
        PATH=$PATH:/usr/sbin:/sbin; cd $HOME
        OPENSTEP_DEFAULTS_DIR=$HOME/theirs chroot --userspec=65534:65534 / $HOME/tool
        """
      let script = """
        cp -L $defaults $HOME/tool; mkdir $HOME/theirs; chown 65534 $HOME/theirs; chmod 755 $HOME $HOME/tool
        \(run) write App k v
        """
      #expect(try shell(script) == (0, "", ""))
      // CAP_KILL, effective as soon as the program runs.
      let capabilities: [UInt8] = [1, 0, 0, 2, 1 << 5, 0, 0, 0] + [UInt8](repeating: 0, count: 12)
      try #require(
        ExtendedAttribute.set(
          ExtendedAttribute.capabilities, to: capabilities, of: home.root.appendingPathComponent("tool").path)
      )
      #expect(try shell("\(run) read App k").0 != 0)
      // What its own children take for the work that they have to do.
      #expect(try shell("export DEFAULTS_TORTURE_JOB=work; \(run) -version").0 == 0)
    }
  #endif

  @Test("where standard streams are closed, no file gets their numbers, and what is done exits 0")
  func closedStreams() throws {
    let home = try ToolHome()
    let script = """
      echo '{ K = 1; }' > $D/WindowMaker
      defaults write WindowMaker K -int 6 <&- >&- 2>&-; echo $?; cat $D/WindowMaker
      defaults read >&-; echo $?; defaults import T - <&-; echo $?
      """
    let outcome = try home.shell(script)
    #expect(outcome.output == "0\n{ K = 6; }\n5\n5\n", "\(outcome)")
  }

  @Test("standard input reaches batch write and lint")
  func standardInput() throws {
    #expect(try shell("$defaults write", input: "App a 1\nApp b '(2)'\n") == (0, "", ""))
    #expect(try shell("$defaults read") == (0, "App a 1\nApp b (2)\n", ""))
    #expect(try shell("$defaults lint -", input: "(a)") == (0, "standard input: OK\n", ""))
    #expect(try shell("$defaults write < /").0 == 5)
  }

  @Test(
    "values at the limit of nesting are taken by every command where the stack is small",
    arguments: [256, 512])
  func smallStack(kilobytes: Int) throws {
    for (format, depth) in [("xml", 490), ("binary", 490), ("openstep", 999)] {
      let script = """
        ulimit -s \(kilobytes); set -e; cd $HOME
        $defaults import -replace App text > report
        $defaults export -replace -to \(format) App file
        cp file $OPENSTEP_DEFAULTS_DIR/App.plist
        $defaults lint file
        $defaults convert -to json file > json
        $defaults convert -to tagged file > tagged
        $defaults import -replace Other file > report
        $defaults import -merge Other file > report
        $defaults write App n 1
        $defaults read App n
        $defaults read App k > line
        $defaults find n > found
        $defaults delete App n
        $defaults export -to \(format) App - | cmp - file
        """
      let open = String(repeating: "(", count: depth)
      let close = String(repeating: ")", count: depth)
      try Data("{ k = \(open)x\(close); }".utf8).write(to: home.root.appendingPathComponent("text"))
      let (status, output, errors) = try shell(script)
      #expect(status == 0 && output == "file: OK\nApp n 1\n" && errors.isEmpty, "\(format): \(errors)")
    }
  }

  @Test("an argument that is not UTF-8 is refused, not stored as something else")
  func notUTF8() throws {
    #expect(
      try shell("$defaults write App k \"$(printf '\\351')\"")
        == (1, "", "defaults: argument 4 is not UTF-8\n"))
    #expect(try home.files() == [])
  }

  @Test("a reader that goes away ends the tool quietly, whether or not the signal is ignored")
  func brokenPipe() throws {
    let long = String(repeating: "x", count: 2000)
    let lines = (1000..<2000).map { "App k\($0) \(long)\n" }.joined()
    #expect(try shell("$defaults write", input: lines).0 == 0)
    let first = "App k1000 \(long)\n"
    #expect(try shell("$defaults read | head -n 1") == (0, first, ""))
    #expect(try shell("trap '' PIPE; { $defaults read; echo $? >&2; } | head -n 1") == (0, first, "0\n"))
  }

  // It read on to the end of the file, hours for such a one.
  @Test("a copy of a file that is too large to be read ends when its reader goes away")
  func largeCopy() throws {
    // A file in which all is a hole, as large as the file system lets it be.
    #expect(try shell("mkdir -p \"$OPENSTEP_DEFAULTS_DIR\"").0 == 0)
    let make = "truncate -s 8T \"$OPENSTEP_DEFAULTS_DIR/Huge.plist\" 2>/dev/null"
    guard try shell(make).0 == 0 else { return }
    let (status, output, errors) = try shell(
      "{ timeout 300 $defaults export Huge - 2>/dev/null; echo $? >&2; } | head -c 1 | wc -c")
    #expect(status == 0 && output.contains("1") && errors == "0\n", "\(errors)")
  }

  // Whoever may write the file would fill the disk of whoever prints it.
  @Test(
    "a hole of such a file is one in a file into which it is printed; where it is appended there are zeros")
  func holeInOutput() throws {
    #expect(try shell("mkdir -p \"$OPENSTEP_DEFAULTS_DIR\"").0 == 0)
    let script = """
      cd "$OPENSTEP_DEFAULTS_DIR"; head -c 5000 /dev/zero | tr '\\0' x > Huge.plist
      truncate -s 1100M Huge.plist; printf end >> Huge.plist
      { printf begin; $defaults export Huge - 2>/dev/null; printf more; } > ../out
      { printf begin; cat Huge.plist; printf more; } | cmp - ../out && test "$(du -k ../out | cut -f 1)" -lt 100
      truncate -s 1100M Huge.plist; $defaults export Huge - 2>/dev/null > ../out; cmp Huge.plist ../out
      test "$(du -k ../out | cut -f 1)" -lt 100
      printf begin > ../out; $defaults export Huge - 2>/dev/null >> ../out
      { printf begin; cat Huge.plist; } | cmp - ../out
      """
    #expect(try shell(script) == (0, "", ""))
  }

  @Test("output that the system does not take exits 5")
  func fullDevice() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    #expect(try shell("$defaults write App k v").0 == 0)
    let (status, _, errors) = try shell("$defaults read > /dev/full")
    #expect(status == 5)
    #expect(errors == "defaults: standard output: No space left on device\n")
  }

  @Test("a place whose name is not UTF-8 is refused and no other is used; files of such names are told of")
  func foreignBytes() throws {
    for (byte, name) in [("\\350", "E8"), ("\\351", "E9")] {
      for variable in ["OPENSTEP_DEFAULTS_DIR=", "OPENSTEP_DEFAULTS_DIR= HOME="] {
        let (status, _, errors) = try shell(
          "place=$HOME/x$(printf '\(byte)'); export \(variable)\"$place\"; $defaults write App k v")
        #expect(status == 3)
        #expect(errors.contains("x%\(name)”: is not UTF-8, and cannot be used as a directory"), "\(errors)")
      }
      #expect(try shell("$defaults write App$(printf '\(byte)') k v").0 == 1)
    }
    #expect(try shell("ls $HOME | grep -c '^x'").1 == "0\n")
    #expect(try shell("$defaults write App k v; : > $OPENSTEP_DEFAULTS_DIR/x$(printf '\\350').plist").0 == 0)
    let (status, output, errors) = try shell("$defaults domains")
    #expect(status == 0 && output == "App\n")
    #expect(errors.contains("files were left out, because names that are not UTF-8 belong to no domain: 1"))
  }
}
