/// The directory in which an administrator sets values for the users of a machine.
///
/// It is `/etc/OpenStep/Managed`, with a property list `App.plist` for each application and
/// `NSGlobalDomain.plist` for all; an application's own takes precedence. Only the administrator can create
/// that directory. A machine without it has no managed values; only there the variable `OPENSTEP_MANAGED_DIR`
/// can name another directory, for tests. The files are never written.
///
/// The directory and a file in it are not trusted if users other than the administrator may write to it, or
/// to a directory on its path. The directory of the variable may also be the user's own.
package enum ManagedDirectory {
  package static let path = "/etc/OpenStep/Managed"
  package static let environmentVariable = "OPENSTEP_MANAGED_DIR"

  /// The directory of the managed domains of this machine.
  ///
  /// - Throws: an error if the variable is used and is not UTF-8.
  package static func location(
    environment: EnvironmentLookup = CurrentProcess.environment,
    hasBorrowedRights: Bool = CurrentProcess.hasBorrowedRights, fileSystem: any FileSystem = DiskFileSystem()
  ) throws(DatabaseError) -> String {
    do throws(SystemError) {
      _ = try fileSystem.status(at: path, followingLinks: false)
      return path
    } catch  where error != .notFound {
      // The directory may exist, in a directory that only the administrator may search.
      return path
    } catch {
      let named = hasBorrowedRights ? nil : try environment(environmentVariable)
      guard let named, !named.isEmpty else { return path }
      return try DatabaseLocation.resolve(argument: named)
    }
  }

  /// The only users who may have write access to the directory and its files, or the contents are not
  /// trusted.
  package static func trustedUsers(of directory: String) -> [UInt32] {
    let owner = directory == path ? 0 : CurrentProcess.effectiveUser
    return owner == 0 ? [0] : [0, owner]
  }
}
