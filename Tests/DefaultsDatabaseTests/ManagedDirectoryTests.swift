import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Where the administrator's values are looked for.
struct ManagedDirectoryTests {
  /// The place where the administrator's folder is looked for with one error, and the variable is set.
  private func location(_ variable: String?, hasBorrowedRights: Bool = false, error: SystemError) throws
    -> String
  {
    try ManagedDirectory.location(
      environment: { $0 == "OPENSTEP_MANAGED_DIR" ? variable : nil }, hasBorrowedRights: hasBorrowedRights,
      fileSystem: FaultyFileSystem { $0.path == "/etc/OpenStep/Managed" ? error : nil })
  }

  @Test("the variable names another folder only where there certainly is none of the administrator's")
  func variable() throws {
    #expect(try location("/tmp/x", error: .notFound) == "/tmp/x")
    #expect(try location("/tmp/x", error: .notPermitted) == "/etc/OpenStep/Managed")
    #expect(try location("/tmp/x", error: .inputOutput) == "/etc/OpenStep/Managed")
    #expect(try location("/tmp/x", hasBorrowedRights: true, error: .notFound) == "/etc/OpenStep/Managed")
    #expect(try location("", error: .notFound) == "/etc/OpenStep/Managed")
    #expect(try location(nil, error: .notFound) == "/etc/OpenStep/Managed")
  }

  private func database(at directory: String) -> UserDatabase {
    UserDatabase(directory: directory, trustedUsers: ManagedDirectory.trustedUsers(of: directory))
  }

  @Test(
    "a folder, a file, or a way to them that others may write to is not trusted",
    arguments: [
      (0o755, 0o755, 0o644, true), (0o755, 0o775, 0o644, false), (0o755, 0o757, 0o644, false),
      (0o755, 0o1777, 0o644, false), (0o755, 0o755, 0o664, false), (0o755, 0o755, 0o646, false),
      (0o777, 0o755, 0o644, false), (0o1777, 0o755, 0o644, true),
    ] as [(mode_t, mode_t, mode_t, Bool)])
  func permissions(parent: mode_t, folder: mode_t, file: mode_t, isBelieved: Bool) throws {
    let home = try TemporaryHome()
    try FileManager.default.createDirectory(
      atPath: home.path("parent/Managed"), withIntermediateDirectories: true)
    try home.write("{ k = v; }", to: "parent/Managed/App.plist")
    for (name, mode) in [("parent/Managed/App.plist", file), ("parent/Managed", folder), ("parent", parent)] {
      #expect(chmod(home.path(name), mode) == 0)
    }
    let database = database(at: home.path("parent/Managed"))
    let app = try DomainName("App")
    if isBelieved {
      #expect(try database.load(app).values == ["k": "v"])
    } else {
      #expect(try #require(throws: DatabaseError.self) { try database.load(app) }.kind == .refused)
    }
  }

  @Test(
    "what belongs to another user is not trusted",
    .enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)),
    arguments: ["Managed/App.plist", "Managed"])
  func owner(name: String) throws {
    let home = try TemporaryHome()
    try FileManager.default.createDirectory(atPath: home.path("Managed"), withIntermediateDirectories: true)
    try home.write("{ k = v; }", to: "Managed/App.plist")
    #expect(chown(home.path(name), 65534, 65534) == 0)
    let (database, app) = (database(at: home.path("Managed")), try DomainName("App"))
    #expect(try #require(throws: DatabaseError.self) { try database.load(app) }.kind == .refused)
  }
}
