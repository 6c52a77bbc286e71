import Foundation
import TestSupport
import Testing

/// Command lines as people write them in scripts, run by a shell with the built tool.
struct ShellExamplesTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  @Test(
    "what a line prints, in a new database",
    arguments: [
      (
        "defaults write -g com.apple.mouse.tapBehavior -int 1; defaults read-type -g com.apple.mouse.tapBehavior",
        "Type is integer\n"
      ),
      ("defaults write T k -int 2>err; echo $?; ls $D", "1\n"),
      ("defaults write T k -string -int; defaults read T k", "T k -int\n"),
      ("defaults write T k -bool 1; defaults read -to value T k; defaults -macos read T k", "YES\n1\n"),
      ("defaults write T k -float 0.1; defaults read -to tagged T k", "{\"real\":\"0.1\"}\n"),
      (
        "defaults write T k -array-add a; defaults write T k -array-add -int 5; defaults read T k",
        "T k '(a, 5 /*integer*/)'\n"
      ),
      (
        "defaults write T '.a.b[+].c' -int 1; defaults read T a",
        "T a '{b = ({c = 1 /*integer*/; }); }'\n"
      ),
      (
        """
        defaults write T '.a.b[+].c' -int 1; defaults write T '.a.b[-1].c' -int 2
        defaults read -to value T '.a.b[0].c'; defaults write T '.a.b[5]' x 2>err; echo $?
        """, "2\n3\n"
      ),
      ("defaults write T '.\".x\"' 1; defaults read T '.\".x\"'", "T .x 1\n"),
      ("defaults write T k v; defaults read -default none T nokey; echo $?", "none\n0\n"),
      ("defaults read -default none T nokey; echo $?; ls $D", "none\n0\n"),
      ("defaults delete -f T nokey; echo $?; ls $D", "0\n"),
      ("defaults write T k 'two words'; x=$(defaults -macos read T k); echo \"[$x]\"", "[two words]\n"),
      (
        """
        defaults write T '{ k = (a, 5 /*integer*/); ".x" = <0fbd>; }'
        defaults export T - | defaults import T2 - && defaults diff T T2; echo $?
        """, "domains: 1, keys: 2, not carried: 0\n0\n"
      ),
      (
        """
        defaults write T k 1; defaults write T3 '{ k = 2; n = { a = 1; }; "." = x; }'; defaults diff T T3; echo $?
        defaults export T - | defaults import T4 - >imported; defaults diff -to commands T4 T3 | sh
        defaults diff T4 T3; echo $?
        """, "--- T\n+++ T3\n+'.\".\"' x\n-k 1\n+k 2\n+n '{a = 1; }'\n6\n0\n"
      ),
      (
        """
        defaults write T k 1; defaults snapshot a; defaults write T z 1; defaults write New y 2
        defaults restore a; defaults diff @a; echo $?
        """, "New removed\nT restored\n0\n"
      ),
      (
        "defaults write T k 1; cp $D/T.plist b; defaults write T k 9; defaults undo; cmp b $D/T.plist; echo $?",
        "undo 2: write T k 9\n-T k 9\n+T k 1\n0\n"
      ),
      (
        """
        defaults write T k 1; defaults write T k 9; DEFAULTS_HISTORY=off defaults write T k 10
        cp $D/T.plist b; defaults undo 2>err; echo $?; cmp b $D/T.plist; defaults read T k
        """, "6\nT k 10\n"
      ),
      (
        """
        echo '{ Set = { T = { k = 1 /*integer*/; ".w.x" = y; }; }; Delete = { T = (gone); }; }' > f
        defaults write T gone 1; defaults apply -check f; echo $?; defaults apply f; echo $?
        defaults apply f | wc -c | tr -d ' '; defaults apply -check f; echo $?
        """,
        """
        set T .w.x y
        set T k '1 /*integer*/'
        delete T gone (was 1)
        6
        set T .w.x y
        set T k '1 /*integer*/'
        delete T gone (was 1)
        0
        0
        0

        """
      ),
      (
        """
        defaults write A k 1; printf '{ a = 1; b = ( ; c = 3; }' > $D/X.plist; chmod 600 $D/X.plist
        cp $D/X.plist b; defaults doctor > found; echo $?; grep -c '^error: .*/X.plist:1:' found; cmp b $D/X.plist
        """, "4\n1\n"
      ),
      (
        "defaults write T k v; defaults explain T k | head -n 1; defaults read T k", "T k v\nT k v\n"
      ),
    ])
  func examples(script: String, output: String) throws {
    let outcome = try home.shell(script)
    #expect(outcome == .init(status: 0, output: output), "\(script)")
  }

  #if os(Linux)
    @Test("each verb that writes leaves every file alone with -n: bytes, number, time and size")
    func rehearsals() throws {
      let script = """
        defaults write T '{ a = 1; l = (x); w = { x = 1; }; }'; defaults write U b 2; defaults snapshot s
        defaults write T a 2; echo '{ Set = { T = { a = 3; }; }; Delete = { U = (b); }; }' > state
        echo '{ a = 4; }' > f.plist
        look() { find $D f.plist -printf '%p %i %T@ %s %m\n' | sort; find $D f.plist -type f | sort | xargs cat; }
        look > before
        for line in "write -n T a 5" "write -n T {c=1;}" "write -n New k v" "write -n ./f a 5" "write -n ./new a 1" \
          "delete -n T a" "delete -n T" "delete -n ./f" "delete-all -n U" "rename -n T a z" "rename -n ./f a z" \
          "apply -n state" "apply -check state" "undo -n" "restore -n s" "import -n V f.plist" \
          "import -n -replace T f.plist" "import -n -merge T f.plist"; do
          defaults $line > printed; code=$?
          [ -s printed ] && { [ $code = 0 ] || [ $code = 6 ]; } || echo "$line: code $code, $(wc -l < printed) lines"
        done
        echo 'T a 6' | defaults write -n; echo 'U b' | defaults delete -n
        look > after; cmp before after
        """
      #expect(try home.shell(script) == .init(status: 0, output: "-T a 2\n+T a 6\n-U b 2\n"))
    }
  #endif
}
