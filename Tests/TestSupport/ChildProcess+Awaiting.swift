package import DefaultsDatabase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension ChildProcess {
  /// Waits until the process has ended, and gives how.
  package func awaitEnding() -> Ending? {
    var information = siginfo_t()
    // It is left to be reaped by the object; where it is reaped already, there is no such child.
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return ending
  }
}
