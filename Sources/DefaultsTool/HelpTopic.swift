/// A page of `help` that is about no single verb.
struct HelpTopic {
  /// The word after `help`.
  let name: String
  /// The heading in the manual page.
  let heading: String
  /// The text of the page.
  let text: String
  /// Command lines behind `$ ` as they work in an empty database, with what they print.
  let example: String

  static let all = [macos, gnustep]

  /// The topic of a name, in upper or lower case; nil if there is none.
  init?(named name: String) {
    guard let topic = HelpTopic.all.first(where: { $0.name == name.lowercased() }) else { return nil }
    self = topic
  }

  private init(name: String, heading: String, text: String, example: String) {
    (self.name, self.heading, self.text, self.example) = (name, heading, text, example)
  }

  private static let macos = HelpTopic(
    name: "macos", heading: "FOR USERS OF MACOS",
    text: """
      A line that writes means here what it means on macOS. A line that reads prints OPENSTEP's lines,
      unless -macos stands before the command or DEFAULTS_STYLE=macos is in the environment.

        on macOS                           here
        read, read-type, find, domains     with -macos the same output, but data is not shortened
        import D FILE                      with -macos; else a domain that exists stays as it is
        export D FILE                      with -macos; else text, and a file that exists stays
        write D K -int 5.7                 refused, exit code 1, where macOS writes 5
        write D .K V                       .K is a path into values; as a key it is '.".K"'
        rename D OLD NEW                   refused if there is NEW; -replace takes its place
        -currentHost, -host NAME           refused, exit code 3: no value is for one host
        -app NAME                          the domain NAME
        .GlobalPreferences                 the domain NSGlobalDomain, as -g
        ~/Library/Preferences/D.plist      the domain D; a path names the file that is there
        killall cfprefsd                   not needed: programs read the files themselves
        exit code 1 or 255                 1 usage, 2 absent, 3 refused; see “defaults help”
        plutil -convert xml1 FILE          convert -to xml -o FILE FILE
        plutil -p FILE                     read -to flat ./FILE
        plutil -lint FILE                  lint FILE
        plutil -extract A.B.0 raw FILE     read -to value ./FILE '.A.B[0]'
        plutil -replace A -integer 5 FILE  write ./FILE A -int 5
        plutil -insert A.0 -string x FILE  write ./FILE '.A[+0]' x
        plutil -remove A.B FILE            delete ./FILE .A.B

      Only this tool has readkey, edit, explain, diff, merge, watch, apply, log, undo, snapshot, restore,
      lint, convert, doctor, paths, completion and torture. Apart from values and the commands of watch and
      diff, what these print is the same with -macos.
      """,
    example: """
      $ defaults write com.example.App Size -int 5
      $ defaults -macos read com.example.App
      {
          Size = 5;
      }
      $ echo '{ A = { B = (x, y); }; }' > f.plist
      $ defaults read -to value ./f.plist '.A.B[0]'
      x
      $ defaults write ./f.plist '.A.B[+0]' w
      $ defaults delete ./f.plist '.A.B[1]'
      $ defaults convert -to xml -o f.plist f.plist
      $ defaults read -to flat ./f.plist
      .A.B[0] w
      .A.B[1] y
      """)

  private static let gnustep = HelpTopic(
    name: "gnustep", heading: "FOR USERS OF GNUSTEP",
    text: """
      With -gnustep before the command it works on GNUstep's own database: in the directory that GNUstep.conf
      names, in GNUstep's formats and under its lock. Without it the database is this package's own.

        with GNUstep's tools               here
        read D K                           a typed value has its note, as in '5 /*integer*/', and arrays and
                                           dictionaries are one line; -to value prints the value alone
        read D, and there is no D          exit code 2 and a message, where GNUstep says nothing
        delete D K, and there is no K      exit code 2; with -f it is 0
        write D K -int 5                   the integer 5, where GNUstep writes the string -int
        write D K two words                refused, exit code 1, where GNUstep drops “words”
        write -g K V                       the domain NSGlobalDomain, not one that is called -g
        read a/b                           the file a/b; no domain of GNUstep's has “/” in its name
        write, delete without arguments    the same: they read lines. GNUstep's have no types, and its tool
                                           takes notes for text: between the two, property list files keep
                                           types
        find WORD                          the same; -part finds parts of names and values, too
        a lock that is held                refused after two seconds, exit code 3; one that is
                                           older than twenty seconds is removed, as by GNUstep
        plparse FILE                       lint FILE
        plser -Format FORMAT FILE          convert -to FORMAT FILE
        plmerge D.plist FILE               import -merge D FILE, where D is a domain
        plutil                             see “defaults help macos”
        Window Maker's menu WMRootMenu     an array, no domain: read it by its path

      -to gnustep writes typed values as GNUstep does, and “defaults import” takes over a whole directory
      of GNUstep's, or its single file of before 2011.
      """,
    example: """
      $ defaults write App Size -int 5
      $ defaults read App
      App Size '5 /*integer*/'
      $ defaults export -to gnustep App -
      {
          Size = <*I5>;
      }
      $ echo '{ Size = <*I6>; Name = Ann; }' | defaults import -merge App -
      domains: 1, keys: 2, not carried: 0
      $ defaults read App
      App Name Ann
      App Size '6 /*integer*/'
      """)
}
