#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("FileRights: name this platform's C library here.")
#endif

/// Whose rights the calling thread has towards files, where the administrator gives up his own for a while.
///
/// In a directory that belongs to another user, that user can put a link in the place of anything at any
/// moment. Whoever writes there with the user's own rights can be led nowhere that the user could not go.
enum FileRights {
  private typealias SetID = @convention(c) (UInt32) -> Int32

  // Linux has them for the thread alone; Swift's modules of the C library do not show them.
  private static let setUser = function("setfsuid")
  private static let setGroup = function("setfsgid")

  private static func function(_ name: String) -> SetID? {
    #if os(Linux)
      dlsym(nil, name).map { unsafeBitCast($0, to: SetID.self) }
    #else
      nil
    #endif
  }

  /// Runs a body with a user's rights towards files, where the system can do so for one thread.
  static func with<Result>(
    user: UInt32, group: UInt32, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard let setUser, let setGroup else { return try body() }
    let oldGroup = setGroup(group)
    // Last, for it takes the right to do the other.
    let oldUser = setUser(user)
    defer {
      _ = setUser(UInt32(bitPattern: oldUser))
      _ = setGroup(UInt32(bitPattern: oldGroup))
    }
    return try body()
  }
}
