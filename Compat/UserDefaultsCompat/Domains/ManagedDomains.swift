import DefaultsDatabase
import DefaultsDomains

/// What the administrator of a machine sets for its users, and they cannot change.
///
/// They lie where ``ManagedDirectory`` says; a change in the files is seen as it is made.
/// What anybody but the administrator may write to is not believed.
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
