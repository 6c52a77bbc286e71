#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("Account: name this platform's C library here.")
#endif

/// An entry of the password database.
package struct Account: Sendable {
  package let user: UInt32
  package let group: UInt32
  package let home: String

  /// The account of a user's name, or nil where there is none.
  package init?(named name: String) {
    self.init { getpwnam_r(name, $0, $1, $2, $3) }
  }

  /// The account whose rights this process has, or nil where the password database does not know it.
  package static var current: Account? {
    Account { getpwuid_r(geteuid(), $0, $1, $2, $3) }
  }

  private init?(
    _ look: (
      UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32
  ) {
    var size = 1024
    while true {
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      var buffer = [CChar](repeating: 0, count: size)
      // The entry's strings lie in the buffer, hence everything is copied out before it ends.
      let (code, account) = buffer.withUnsafeMutableBufferPointer {
        storage -> (Int32, (UInt32, UInt32, String)?) in
        guard let base = storage.baseAddress else { return (ENOMEM, nil) }
        let code = look(&entry, base, storage.count, &found)
        guard code == 0, found != nil, let home = entry.pw_dir else { return (code, nil) }
        return (0, (entry.pw_uid, entry.pw_gid, String(cString: home)))
      }
      if code == ERANGE && size < 1 << 20 {
        size *= 4
      } else if code != EINTR {
        guard let account else { return nil }
        (user, group, home) = account
        return
      }
    }
  }
}
