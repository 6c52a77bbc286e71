import Testing

@testable import DefaultsDatabase

struct RemoteFileSystemTests {
  /// As the manual page proc(5) shows and describes it.
  private static let mounts = """
    36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
    40 35 0:45 / /home rw,relatime shared:7 master:2 - nfs4 server:/home rw,vers=4.2
    41 35 0:46 / /cloud rw - fuse.sshfs me@host: rw
    42 35 8:17 / /windows rw - fuseblk /dev/sdb1 rw
    43 35 259:262144 / /big rw - cifs //server/share rw
    """

  @Test(
    "network file systems are known by the device's mount",
    arguments: [
      // A device's number has the lower parts of both numbers in its lower half.
      (98 << 8, false), (45, true), (46, true), (8 << 8 | 17, false),
      // 259:262144, whose lower number has more than eight bits.
      (259 << 8 | 262144 << 12, true), (99, false),
    ] as [(UInt64, Bool)])
  func kinds(device: UInt64, isRemote: Bool) {
    #expect(RemoteFileSystem.isRemote(device: device, mounts: RemoteFileSystemTests.mounts) == isRemote)
  }
}
