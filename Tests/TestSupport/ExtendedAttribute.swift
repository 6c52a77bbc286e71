#if os(Linux)
  import Foundation

  /// Attributes of files that Foundation does not know.
  public enum ExtendedAttribute {
    /// The access control list of a file, and the one that a directory gives to new files in it.
    public static let accessList = "system.posix_acl_access"
    public static let listOfNewFiles = "system.posix_acl_default"
    /// What a program may do whose file this is.
    public static let capabilities = "security.capability"

    /// An access control list that lets a user do some things which the owner's group may not do.
    ///
    /// - Parameters:
    ///   - permissions: The user's, which are the mask too.
    ///   - groupPermissions: The owner's group's.
    ///   - othersPermissions: Everybody else's.
    public static func accessList(
      letting user: UInt32, have permissions: UInt16, group groupPermissions: UInt16,
      others othersPermissions: UInt16
    ) -> [UInt8] {
      // Entries of a tag, permissions and a user: the owner, a user, the group, the mask, and all others.
      let entries: [(UInt16, UInt16, UInt32)] = [
        (1, 7, .max), (2, permissions, user), (4, groupPermissions, .max), (16, permissions, .max),
        (32, othersPermissions, .max),
      ]
      var list: [UInt8] = [2, 0, 0, 0]
      for (tag, permissions, user) in entries {
        for part in [UInt32(tag) | UInt32(permissions) << 16, user] {
          list += withUnsafeBytes(of: part.littleEndian) { Array($0) }
        }
      }
      return list
    }

    /// Sets an attribute of a file; false if that is not possible.
    public static func set(_ name: String, to value: [UInt8], of path: String) -> Bool {
      typealias Call =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32
      guard let symbol = dlsym(nil, "setxattr") else { return false }
      return unsafeBitCast(symbol, to: Call.self)(path, name, value, value.count, 0) == 0
    }

    /// An attribute of a file; nil if it has none.
    public static func value(_ name: String, of path: String) -> [UInt8]? {
      typealias Call =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int
      guard let symbol = dlsym(nil, "getxattr") else { return nil }
      var value = [UInt8](repeating: 0, count: 1 << 16)
      let count = unsafeBitCast(symbol, to: Call.self)(path, name, &value, value.count)
      return count < 0 ? nil : Array(value.prefix(count))
    }
  }
#endif
