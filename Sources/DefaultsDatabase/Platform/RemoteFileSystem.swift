import CDefaultsFileRights

#if canImport(Darwin)
  import Darwin
#endif

/// Network file systems: other machines may change their files, and this machine's
/// system reports nothing then.
package enum RemoteFileSystem {
  /// Whether the file at a path lies on one, or that cannot be found out now.
  ///
  /// - Parameter followsLink: Whether a symbolic link there stands for what it leads to.
  package static func holds(_ path: String, followingLink followsLink: Bool = true) -> Bool {
    #if canImport(Darwin)
      var status = statfs()
      return statfs(path, &status) == 0 && status.f_flags & UInt32(MNT_LOCAL) == 0
    #else
      do throws(SystemError) {
        let disk = DiskFileSystem()
        let device = try disk.status(at: path, followingLinks: followsLink).device
        let bytes = try disk.contents(ofRegularFile: "/proc/self/mountinfo")
        return isRemote(device: device, mounts: String(decoding: bytes, as: UTF8.self))
      } catch {
        // Without a list of mounts, as in some sandboxes, the disk counts as local.
        return error.isPassing
      }
    #endif
  }

  /// Whether a lock on a file keeps all others from reading it, as on a mount of SMB.
  static func hasMandatoryLocks(_ path: String) -> Bool { cfilerights_has_mandatory_locks(path) != 0 }

  /// The kinds whose events on Linux report this machine's changes only; of FUSE, just `fuseblk` is a local disk.
  private static let kinds: Set<String> = [
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "fuse", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs",
    "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
  ]

  /// Whether a device is mounted with one of those kinds, according to Linux's list of mounts.
  ///
  /// A line is `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`: the third field is the
  /// device, the field after the lone hyphen is the kind.
  static func isRemote(device: UInt64, mounts: String) -> Bool {
    let major = (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000
    let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
    let number = "\(major):\(minor)"
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 2, fields[2] == number, let hyphen = fields.firstIndex(of: "-") else { continue }
      guard let kind = fields.dropFirst(hyphen + 1).first else { continue }
      return kinds.contains(String(kind)) || kind.hasPrefix("fuse.")
    }
    return false
  }
}
