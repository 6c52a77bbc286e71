import DefaultsDatabase
import DefaultsDomains

/// The values that a machine's administrator sets for its users, who cannot change them.
///
/// Their directory is that of ``ManagedDirectory``; changes of its files take effect at once. A file that
/// users other than the administrator may write to is not trusted.
enum ManagedDomains {
  /// The managed domains of this machine.
  static let shared = domains(at: location())

  private static func location() -> String {
    do throws(DatabaseError) {
      return try ManagedDirectory.location()
    } catch {
      ErrorReports.shared.add(error)
      return ManagedDirectory.path
    }
  }

  /// The managed domains of a directory.
  static func domains(at directory: String) -> PersistentDomains {
    PersistentDomains.at(directory: directory, trustedUsers: ManagedDirectory.trustedUsers(of: directory))
  }
}
