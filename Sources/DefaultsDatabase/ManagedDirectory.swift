/// Where an administrator sets values for the users of a machine.
///
/// Property lists in `/etc/OpenStep/Managed`, one for each application, as `App.plist`, and
/// `NSGlobalDomain.plist` for all; an application's own comes first. Only the administrator can make
/// that directory. A machine without it has no managed values, and only there `OPENSTEP_MANAGED_DIR`
/// names another, for tests. The files are never written.
///
/// What anybody but the administrator may write to is not believed: the directory, a file in it, or what lies on the
/// way to it. The directory of the variable may be the user's own.
package enum ManagedDirectory {
  package static let path = "/etc/OpenStep/Managed"
  package static let environmentVariable = "OPENSTEP_MANAGED_DIR"

  /// The directory of the managed domains of this machine.
  ///
  /// - Throws: an error where the variable counts and is no text.
  package static func location(
    environment: EnvironmentLookup = CurrentProcess.environment,
    hasBorrowedRights: Bool = CurrentProcess.hasBorrowedRights, fileSystem: any FileSystem = DiskFileSystem()
  ) throws(DatabaseError) -> String {
    do throws(SystemError) {
      _ = try fileSystem.status(at: path, followingLinks: false)
      return path
    } catch  where error != .notFound {
      // It may be there, in a folder that only the administrator may look into.
      return path
    } catch {
      let named = hasBorrowedRights ? nil : try environment(environmentVariable)
      guard let named, !named.isEmpty else { return path }
      return try DatabaseLocation.resolve(argument: named)
    }
  }

  /// The users whose directory and files are believed.
  package static func trustedUsers(of directory: String) -> [UInt32] {
    let owner = directory == path ? 0 : CurrentProcess.effectiveUser
    return owner == 0 ? [0] : [0, owner]
  }
}
