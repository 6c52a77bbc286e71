#if os(Linux)
  import Foundation

  /// A small disk of one test's own, which can be filled; unmounted when nobody holds it any more.
  public final class FullDisk: Sendable {
    /// What a skipped test says.
    public static let absence = "only the administrator of a machine, not of a container, can mount a disk"

    /// Whether tests that need it are to run: it can be mounted, or that it cannot is a failure.
    public static let isExpected = BuildServer.isRunning || (try? FullDisk(in: TemporaryHome())) != nil

    /// Where the disk lies.
    public let path: String
    private let home: TemporaryHome

    /// Mounts an empty disk of 64 kilobytes.
    public init(in home: TemporaryHome) throws {
      self.home = home
      path = home.path("disk")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      guard mount("none", path, "tmpfs", 0, "size=64k,mode=700") == 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
      }
    }

    deinit {
      umount2(path, Int32(MNT_DETACH))
    }

    /// Writes to a file until nothing more goes on the disk.
    public func fill() {
      let descriptor = open("\(path)/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      let bytes = [UInt8](repeating: 0, count: 1024)
      while write(descriptor, bytes, bytes.count) > 0 {}
      close(descriptor)
    }

    /// Makes room again.
    public func empty() {
      unlink("\(path)/filler")
    }
  }
#endif
