import DefaultsDatabase
import TestSupport
import Testing

@testable import UserDefaultsCompat

/// Where the administrator's values are looked for.
struct ManagedDomainsTests {
  /// The place where the administrator's folder is looked for with one error, and the variable is set.
  private func location(_ variable: String?, hasBorrowedRights: Bool = false, error: SystemError) -> String {
    ManagedDomains.location(
      environment: { $0 == "OPENSTEP_MANAGED_DIR" ? variable : nil }, hasBorrowedRights: hasBorrowedRights,
      fileSystem: FaultyFileSystem { $0.path == "/etc/OpenStep/Managed" ? error : nil })
  }

  @Test("the variable names another folder only where there certainly is none of the administrator's")
  func variable() {
    #expect(location("/tmp/x", error: .notFound) == "/tmp/x")
    #expect(location("/tmp/x", error: .notPermitted) == "/etc/OpenStep/Managed")
    #expect(location("/tmp/x", error: .inputOutput) == "/etc/OpenStep/Managed")
    #expect(location("/tmp/x", hasBorrowedRights: true, error: .notFound) == "/etc/OpenStep/Managed")
    #expect(location("", error: .notFound) == "/etc/OpenStep/Managed")
    #expect(location(nil, error: .notFound) == "/etc/OpenStep/Managed")
  }
}
