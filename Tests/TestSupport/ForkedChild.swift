import Foundation

/// A child process that goes on where this one is, without another program.
public struct ForkedChild {
  /// 0 in the child, and the child's number in this process.
  public let identifier: Int32
  /// The end of a pipe that the system closes on the other side when the child ends.
  private let ending: Int32

  /// Whether this is the child.
  public var isThisProcess: Bool { identifier == 0 }

  /// Makes it; nil where it cannot be made.
  ///
  /// The child must do little, and use no macro of the tests: a lock of Swift's runtime that another thread held
  /// stays locked in it.
  public static func make() -> ForkedChild? {
    // Swift does not let a program call it by its name, but C libraries do. What no handle names is looked for in
    // the program and its libraries; the type is C's.
    guard let symbol = dlsym(nil, "fork") else { return nil }
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    let (ending, held) = (ends[0], ends[1])
    let identifier = fork()
    // The child holds the other end as long as it lives.
    if identifier != 0 { close(held) }
    if identifier < 0 {
      close(ending)
      return nil
    }
    return ForkedChild(identifier: identifier, ending: ending)
  }

  /// Waits for the end of the child; gives its status as `waitpid` does, or nil where it has not ended after five
  /// minutes, and is killed.
  public func status() -> Int32? {
    var event = pollfd(fd: ending, events: Int16(POLLIN), revents: 0)
    let hasEnded = poll(&event, 1, 300_000) == 1
    close(ending)
    if !hasEnded { kill(identifier, SIGKILL) }
    var status: Int32 = 0
    guard waitpid(identifier, &status, 0) == identifier, hasEnded else { return nil }
    return status
  }
}
