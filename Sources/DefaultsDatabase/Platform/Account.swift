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
  /// The supplementary groups and the user's own.
  package let groups: [UInt32]
  private let homeBytes: [CChar]

  /// The user's home.
  ///
  /// - Throws: an error of the kind `refused` where its path is not UTF-8.
  package var home: String {
    get throws(DatabaseError) {
      try homeBytes.withUnsafeBufferPointer { bytes throws(DatabaseError) in
        guard let start = bytes.baseAddress else { return "" }
        return try CurrentProcess.text(start, of: "the home of user \(user)")
      }
    }
  }

  /// Makes an account by its entry's fields.
  package init(user: UInt32, group: UInt32, groups: [UInt32], home: String) {
    (self.user, self.group, self.groups) = (user, group, groups)
    homeBytes = home.withCString { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) }
  }

  /// The most bytes that a user's name can have, as on Linux (`LOGIN_NAME_MAX`).
  private static let maximumNameSize = 255

  /// The account with a user's name, or nil if there is none.
  ///
  /// A name that no user can have is not looked up: some modules of the C library copy it onto the stack, which a long
  /// one would overrun. The C library would end it at a NUL.
  ///
  /// - Throws: an error if it cannot be found out whether there is one.
  package init?(named name: String) throws(DatabaseError) {
    guard name.utf8.count <= Account.maximumNameSize, !name.utf8.contains(0) else { return nil }
    try self.init("“\(name)”") { getpwnam_r(name, $0, $1, $2, $3) }
  }

  /// The account with a user's name if this process is the administrator, and so can act for
  /// that user; otherwise nil.
  ///
  /// A process of another user has only its own rights, whatever name is given.
  package init?(actingFor name: String) throws(DatabaseError) {
    guard CurrentProcess.effectiveUser == 0 else { return nil }
    try self.init(named: name)
    if user == 0 { return nil }
  }

  /// The account whose rights this process has, or nil if the password database does not contain it.
  package static var current: Account? {
    get throws(DatabaseError) { try Account(user: geteuid()) }
  }

  /// Whether the two are one account, under whatever names; two accounts with one number have two homes.
  package func isSame(as other: Account?) -> Bool {
    user == other?.user && homeBytes == other?.homeBytes
  }

  /// The account with a user's number, or nil if there is none.
  init?(user: UInt32) throws(DatabaseError) {
    try self.init("user \(user)") { getpwuid_r(user, $0, $1, $2, $3) }
  }

  /// - Parameter name: What messages call the user.
  private init?(
    _ name: String,
    _ look: (
      UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32
  ) throws(DatabaseError) {
    var size = 1024
    while true {
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      var buffer = [CChar](repeating: 0, count: size)
      // The entry's strings lie in the buffer, so everything is copied out before the buffer goes away.
      let (code, account) = buffer.withUnsafeMutableBufferPointer {
        storage -> (Int32, (UInt32, UInt32, [UInt32], [CChar])?) in
        guard let base = storage.baseAddress else { return (ENOMEM, nil) }
        let code = FileRights.withOwn { look(&entry, base, storage.count, &found) }
        guard code == 0, found != nil, let home = entry.pw_dir, let name = entry.pw_name else {
          return (code, nil)
        }
        let groups = Account.groups(ofUser: name, with: entry.pw_gid)
        return (
          0,
          (
            entry.pw_uid, entry.pw_gid, groups,
            Array(UnsafeBufferPointer(start: home, count: strlen(home) + 1))
          )
        )
      }
      if code == ERANGE && size < 1 << 20 {
        size *= 4
      } else if code != EINTR {
        // The C library's other codes mean that there is no such user.
        if account == nil, SystemError(code: code).isPassing {
          throw .inputOutput(
            SystemError(code: code), path: name, "the account cannot be looked up",
            advice: "nothing is read or written")
        }
        guard let account else { return nil }
        (user, group, groups, homeBytes) = account
        return
      }
    }
  }

  /// The groups that the group database lists for a user, with the user's own; only the
  /// latter if the lookup fails.
  private static func groups(ofUser name: UnsafePointer<CChar>, with group: gid_t) -> [UInt32] {
    #if canImport(Darwin)
      typealias Group = Int32
    #else
      typealias Group = gid_t
    #endif
    // The most groups that Linux gives a process.
    let limit: Int32 = 65536
    var count: Int32 = 32
    while count <= limit {
      var groups = [Group](repeating: 0, count: Int(count))
      let room = count
      let code = FileRights.withOwn {
        getgrouplist(name, Group(truncatingIfNeeded: group), &groups, &count)
      }
      if code >= 0 {
        return groups.prefix(Int(count)).map { UInt32(truncatingIfNeeded: $0) }
      }
      // Not every system returns the needed count.
      count = max(count, 2 * room)
    }
    return [group]
  }
}
