import CDefaultsFileRights

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("SystemCalls: name this platform's C library here, and check that it has sigwait.")
#endif

// How ``DiskFileSystem`` makes a call of the operating system.

/// Makes a call about a path that does not follow a link at its end.
func inParent<Result: FixedWidthInteger & SignedInteger>(
  of path: String, _ call: (Int32, UnsafePointer<CChar>) throws(SystemError) -> Result
) throws(SystemError) -> Result {
  let result = path.withCString { path -> Swift.Result<Result, SystemError> in
    do throws(SystemError) {
      var name: UnsafePointer<CChar>? = path
      let parent = try checked { cfilerights_open_parent(path, &name) }
      defer { cfilerights_close_parent(parent) }
      return .success(try checked { () throws(SystemError) in try call(parent, name ?? path) })
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}

/// Makes a call about a path that follows a link at its end; the call's last argument is for its flags.
func atEnd<Result: FixedWidthInteger & SignedInteger>(
  of path: String, _ call: (Int32, UnsafePointer<CChar>, Int32) -> Result
) throws(SystemError) -> Result {
  let result = path.withCString { path -> Swift.Result<Result, SystemError> in
    do throws(SystemError) {
      var name: UnsafePointer<CChar>? = path
      var flags: Int32 = 0
      let descriptor = try checked { cfilerights_open_end(path, &name, &flags) }
      defer { cfilerights_close_parent(descriptor) }
      return .success(try checked { call(descriptor, name ?? path, flags) })
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}

// MARK: - The one place where −1 becomes an error

/// Makes a call again as long as a signal interrupts it, and turns −1 into an error.
func checked<Result: FixedWidthInteger & SignedInteger>(
  _ call: () throws(SystemError) -> Result
) throws(SystemError) -> Result {
  while true {
    let result = try call()
    if result != -1 { return result }
    let code = errno
    if code != EINTR { throw SystemError(code: code) }
  }
}

/// Makes a write fail where the file's size limit is reached; the signal SIGXFSZ would end the program.
func withoutSizeSignal<Result>(_ write: () throws(SystemError) -> Result) throws(SystemError)
  -> Result
{
  var signals = sigset_t()
  var before = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGXFSZ)
  pthread_sigmask(SIG_BLOCK, &signals, &before)
  // Only this signal: a mask that is set as a whole would unblock the one that a thread with a user's rights blocks,
  // which the C library keeps out of all masks.
  defer { if sigismember(&before, SIGXFSZ) == 0 { pthread_sigmask(SIG_UNBLOCK, &signals, nil) } }
  do throws(SystemError) {
    return try write()
  } catch {
    // The signal is pending for this thread, unless the program ignores it; it is consumed here.
    var pending = sigset_t()
    var signal: Int32 = 0
    if error == .tooLarge, sigpending(&pending) == 0, sigismember(&pending, SIGXFSZ) == 1 {
      sigwait(&signals, &signal)
    }
    throw error
  }
}
