import DefaultsDatabase
import DefaultsTool
import Foundation
import TestSupport
import Testing

/// The administrator in directories of one user in which another user has a directory or a link.
@Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
struct NestedOwnersTests {
  private let home: ToolHome
  private let files = FileManager.default
  private static let (first, second): (UInt32, UInt32) = (65_533, 65_534)
  private var shared: String { home.root.path + "/shared" }
  private var secret: String { home.root.path + "/private" }

  /// A directory of the first user in which all may make files, and a private one with a file.
  init() throws {
    home = try ToolHome()
    try #require(chmod(home.root.path, 0o755) == 0)
    for (path, mode) in [(shared, 0o1777), (secret, 0o700)] {
      try files.createDirectory(atPath: path, withIntermediateDirectories: false)
      try #require(chown(path, Self.first, Self.first) == 0 && chmod(path, mode_t(mode)) == 0)
    }
    try write("{ secret = s; }", to: secret + "/f.plist", of: Self.first)
  }

  private func write(_ text: String, to path: String, of user: UInt32) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try #require(chown(path, user, user) == 0 && chmod(path, 0o600) == 0)
  }

  private func link(_ path: String, to destination: String, of user: UInt32) throws {
    try files.createSymbolicLink(atPath: path, withDestinationPath: destination)
    try #require(lchown(path, user, user) == 0)
  }

  @Test("what the second user has linked to in its own directory, or in the first one's, is not read")
  func read() throws {
    try files.createDirectory(atPath: shared + "/theirs", withIntermediateDirectories: false)
    try #require(chown(shared + "/theirs", Self.second, Self.second) == 0)
    for place in ["theirs/f.plist", "f.plist"] {
      try link("\(shared)/\(place)", to: secret + "/f.plist", of: Self.second)
      let out = home.root.path + "/out"
      for words in [
        ["read", "\(shared)/\(place)"], ["convert", "-to", "xml", "\(shared)/\(place)", "-o", out],
      ] {
        let outcome = home.run(words)
        #expect(outcome.code != .done && !outcome.output.contains("secret"), "\(words): \(outcome)")
      }
      #expect(!files.fileExists(atPath: out))
    }
    // The first user's own link is followed with its rights.
    try link(shared + "/own.plist", to: secret + "/f.plist", of: Self.first)
    #expect(home.run("read", shared + "/own.plist", "secret") == .init(code: .done, output: "secret s\n"))
  }

  @Test("nothing of the first user's is removed by way of the second one's database")
  func snapshot() throws {
    let database = shared + "/theirs"
    try files.createDirectory(atPath: database + "/.history/snapshots", withIntermediateDirectories: true)
    for path in [database, database + "/.history", database + "/.history/snapshots"] {
      try #require(chown(path, Self.second, Self.second) == 0 && chmod(path, 0o777) == 0)
    }
    try link(database + "/.history/snapshots/s", to: secret, of: Self.second)
    let outcome = home.run(["snapshot", "-delete", "s"], environment: ["OPENSTEP_DEFAULTS_DIR": database])
    #expect(outcome.code == .refused, "\(outcome)")
    #expect(outcome.errors.contains("and of another user"), "\(outcome)")
    #expect(files.fileExists(atPath: secret + "/f.plist"))
  }

  @Test(
    "a user's own link, which the administrator does not follow, is not left out of what concerns all domains"
  )
  func ownLinks() throws {
    let database = shared + "/own"
    for path in [database, secret + "/dotfiles"] {
      try files.createDirectory(atPath: path, withIntermediateDirectories: false)
      try #require(chown(path, Self.first, Self.first) == 0)
    }
    try write("{ d = 2; }", to: secret + "/dotfiles/Dot.plist", of: Self.first)
    try link(database + "/Dot.plist", to: secret + "/dotfiles/Dot.plist", of: Self.first)
    // A link of another user is none of the domains.
    try link(database + "/Other.plist", to: secret + "/dotfiles/Dot.plist", of: Self.second)
    func run(_ words: String...) -> ToolHome.Outcome {
      home.run(words, environment: ["OPENSTEP_DEFAULTS_DIR": database])
    }
    #expect(run("write", "App", "a", "1") == .init(code: .done))
    let line = "defaults: \(database): links of other users, which are not followed, were left out: 1\n"
    #expect(run("domains") == .init(code: .done, output: "App\nDot\n", errors: line))
    let read = run("read")
    #expect(
      read.code == .refused && read.output == "App a 1\n" && read.errors.contains("; do it as that user"))
    for words in [["snapshot", "s"], ["export", "-into", home.root.path + "/out"]] {
      let outcome = home.run(words, environment: ["OPENSTEP_DEFAULTS_DIR": database])
      #expect(outcome.code == .refused, "\(words): \(outcome)")
    }
    #expect(run("restore", "s").code != .done)
    #expect(run("doctor").code != .done)
    #expect(files.fileExists(atPath: database + "/Dot.plist"))
  }
}
