import Foundation

/// A child process that goes on where this one is, without another program.
public enum ForkedChild {
  /// Makes it.
  ///
  /// The child must do little, and use no macro of the tests: a lock of Swift's runtime that another thread held
  /// stays locked in it.
  ///
  /// - Returns: 0 in the child, the child's number in this process, and -1 where it cannot be made.
  public static func make() -> Int32 {
    // Swift does not let a program call it by its name, but C libraries do. What no handle names is looked for in
    // the program and its libraries; the type is C's.
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    return unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
  }
}
