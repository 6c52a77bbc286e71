import DefaultsDatabase
import OpenStepDefaults
import OpenStepPropertyList

/// What the administrator of a machine sets for its users, and they cannot change.
///
/// Property lists in `/etc/OpenStep/Managed`, one for each application, as `App.plist`, and
/// `NSGlobalDomain.plist` for all; an application's own comes first. Only the administrator can make
/// that directory. A machine without it has no managed values, and only there `OPENSTEP_MANAGED_DIR`
/// names another, for tests. The files are never written; a change in them is seen as it is made.
enum ManagedDomains {
  static let directory = "/etc/OpenStep/Managed"
  static let environmentVariable = "OPENSTEP_MANAGED_DIR"

  /// The managed domains of this machine.
  static let shared = PersistentDomains.at(directory: location())

  /// Where the managed domains of this machine lie.
  static func location(
    environment: (String) -> String? = CurrentProcess.environment,
    hasBorrowedRights: Bool = CurrentProcess.hasBorrowedRights, fileSystem: any FileSystem = DiskFileSystem()
  ) -> String {
    let path = hasBorrowedRights ? nil : environment(environmentVariable)
    guard let path, !path.isEmpty else { return directory }
    do throws(SystemError) {
      _ = try fileSystem.status(at: directory, followingLinks: false)
    } catch .notFound {
      return DatabaseLocation.resolve(argument: path)
    } catch {
      // It may be there, in a folder that only the administrator may look into.
    }
    return directory
  }
}
