import DefaultsTool
import Foundation
import TestSupport
import Testing

/// Domains that are there and cannot be looked at: no command does as if there were none.
@Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
struct UnreachableDomainTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// Runs a script as a user for whom permissions count.
  private func run(_ script: String) throws -> ToolHome.ShellOutcome {
    try home.shell(
      """
      chmod 755 .; cp -L "$defaults" tool; mkdir theirs; chown 65534:65534 theirs; cd theirs
      exec chroot --userspec=65534:65534 / env HOME="$HOME/theirs" OPENSTEP_DEFAULTS_DIR="$HOME/theirs/D" sh -c '
      cd "$HOME"; defaults() { ../tool "$@"; }
      \(script)'
      """, by: "/bin/bash")
  }

  @Test("a snapshot without a domain that cannot be reached is refused")
  func snapshot() throws {
    let outcome = try run(
      """
      defaults write App a 1; defaults write Sec s 2; mkdir o; mv D/Sec.plist o; ln -s ../o/Sec.plist D/Sec.plist
      chmod 0 o; defaults domains; defaults snapshot bad; echo $?; defaults read >all; echo $?
      chmod 700 o; defaults restore bad; echo $?; defaults read Sec s
      """)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines == ["App", "Sec", "5", "5", "2", "Sec s 2"], "\(outcome)")
  }

  @Test("a database that can be listed and not searched is an error, not an empty one")
  func unsearchable() throws {
    let outcome = try run(
      """
      defaults write App a 1; chmod 600 D
      defaults read; echo $?; defaults export -into out >/dev/null; echo $?; defaults snapshot s; echo $?
      chmod 700 D; defaults read App a
      """)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines == ["5", "5", "5", "App a 1"], "\(outcome)")
  }
}
