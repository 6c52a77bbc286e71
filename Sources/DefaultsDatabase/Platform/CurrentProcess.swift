import CDefaultsFileRights

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("CurrentProcess: name this platform's C library here.")
#endif

/// Finds the value of an environment variable; nil for none, and an error for one that is not UTF-8.
package typealias EnvironmentLookup = (_ name: String) throws(DatabaseError) -> String?

/// The process's identity, rights, environment and working directory.
package enum CurrentProcess {
  /// The process's number.
  package static var identifier: Int32 { getpid() }

  /// Whether a number is that of a process, also another user's.
  static func isNumberOfProcess(_ number: Int32) -> Bool {
    number > 0 && (kill(number, 0) == 0 || errno != ESRCH)
  }

  /// The number of the process that started this one; another one, where that has ended.
  package static var parent: Int32 { getppid() }

  /// The descriptors of the process's standard streams.
  package static var standardInput: Int32 { STDIN_FILENO }
  package static var standardOutput: Int32 { STDOUT_FILENO }
  package static var standardError: Int32 { STDERR_FILENO }

  /// The path of the program's own file; nil where the system does not tell it, or it is not UTF-8.
  package static var executablePath: String? {
    #if canImport(Darwin)
      var path = [CChar](repeating: 0, count: 4 * Int(PATH_MAX))
      guard proc_pidpath(getpid(), &path, UInt32(path.count)) > 0 else { return nil }
      return path.withUnsafeBufferPointer { $0.baseAddress.flatMap { String(validatingCString: $0) } }
    #else
      do throws(SystemError) {
        return try DiskFileSystem().destination(ofLink: "/proc/self/exe")
      } catch {
        return nil
      }
    #endif
  }

  /// The user whose rights the process has.
  package static var effectiveUser: UInt32 { geteuid() }

  /// Whether the process has, or had, rights that its starter may not have, as a set-uid program does, and one
  /// whose file has capabilities.
  ///
  /// Its environment cannot be trusted then, also after it has made the borrowed user its own by `setuid`.
  package static var hasBorrowedRights: Bool {
    getuid() != geteuid() || getgid() != getegid() || cfilerights_started_with_borrowed_rights() != 0
  }

  /// Whether a number stands for all users who have none in the user namespace of this process, such as that of a
  /// sandbox.
  ///
  /// It is false if the number also belongs to a user of the namespace, or if the namespace maps the administrator of the
  /// machine. It is looked up each time, because a process may enter a namespace.
  static func isUnmapped(_ user: UInt32) -> Bool {
    #if os(Linux)
      // The kernel's number, unless the administrator has set another; then nobody is trusted more than elsewhere.
      guard user == 65534, let map = try? DiskFileSystem().contents(ofFileOrPipe: "/proc/self/uid_map") else {
        return false
      }
      // Each line is the first number inside, the first outside, and their count.
      let numbers = String(decoding: map, as: UTF8.self).split { $0.isWhitespace }.compactMap { UInt32($0) }
      return !numbers.isEmpty
        && stride(from: 0, to: numbers.count - 2, by: 3).allSatisfy { index in
          let isInside = user >= numbers[index] && user - numbers[index] < numbers[index + 2]
          return !isInside && numbers[index + 1] != 0
        }
    #else
      return false
    #endif
  }

  /// Whether a file could be opened now, and the process has not as many descriptors as it may have.
  package static var hasFreeDescriptor: Bool {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return ![EMFILE, ENFILE].contains(errno) }
    close(descriptor)
    return true
  }

  /// Leaves a hole in standard output, which reads as zeros, if it is a regular file at whose end is written.
  ///
  /// Another process may write into the same file: it is never made shorter, and the place where is written only moves on.
  ///
  /// - Returns: false, with nothing changed, where zeros have to be written: also for a short hole, and where everything is
  ///   appended.
  package static func skipOutput(by count: Int) throws(SystemError) -> Bool {
    let disk = DiskFileSystem()
    let status = try disk.status(of: standardOutput)
    guard count >= 1 << 16, status.kind == .regular, fcntl(standardOutput, F_GETFL) & O_APPEND == 0,
      lseek(standardOutput, 0, SEEK_CUR) >= off_t(status.size)
    else { return false }
    guard lseek(standardOutput, off_t(count) - 1, SEEK_CUR) >= 0 else {
      // For a place beyond what the file system can hold.
      throw SystemError(code: errno == EINVAL ? EFBIG : errno)
    }
    try disk.write(all: [0], to: standardOutput)
    return true
  }

  /// Whether a descriptor is a terminal's.
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The working directory, or nil if it was removed.
  ///
  /// - Throws: an error of the kind `refused` where its path is not UTF-8.
  static func workingDirectory() throws(DatabaseError) -> String? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return try text(path, of: "the working directory")
  }

  /// The value of an environment variable, or nil.
  ///
  /// - Throws: an error of the kind `refused` if it is not UTF-8: with replaced characters it
  ///   would name another file.
  package static func environment(_ name: String) throws(DatabaseError) -> String? {
    guard let value = name.withCString({ getenv($0) }) else { return nil }
    return try text(value, of: "the variable \(name)")
  }

  /// The value of an environment variable that names no file; nil if it is not set or not UTF-8.
  package static func preference(_ name: String) -> String? {
    name.withCString { getenv($0) }.flatMap { String(validatingCString: $0) }
  }

  /// What names the program: argument 0, or the path of the program's own file where the process has borrowed rights, since
  /// whoever starts a process chooses argument 0.
  ///
  /// - Returns: An empty text where the system does not tell the path, or it is not UTF-8.
  package static func namingPath(hasBorrowedRights: Bool = hasBorrowedRights) -> String {
    guard hasBorrowedRights else { return programName }
    let path = executablePath ?? ""
    // Linux says so behind the path of a file that an upgrade of the program has replaced.
    let remark = " (deleted)"
    return path.hasSuffix(remark) ? String(path.dropLast(remark.count)) : path
  }

  /// Argument 0 of the command line, with each byte that is not UTF-8 as `%E8`, so that two
  /// programs have two names.
  package static var programName: String {
    // The array ends with a null pointer, and its strings live as long as the process.
    guard CommandLine.argc > 0, let name = CommandLine.unsafeArgv[0] else { return "" }
    return String(validatingCString: name) ?? escaped(name)
  }

  /// A C string as text.
  static func text(
    _ string: UnsafePointer<CChar>, of what: String
  ) throws(DatabaseError) -> String {
    if let text = String(validatingCString: string) { return text }
    throw DatabaseError(
      .refused, path: "“\(escaped(string))”",
      message: "is not UTF-8, and cannot be used as a directory: \(what)",
      advice: "nothing was read or changed; name one whose path is UTF-8")
  }

  /// A C string with each byte that is not UTF-8 as `%E8`.
  static func escaped(_ string: UnsafePointer<CChar>) -> String {
    var text = ""
    var rest = UnsafeBufferPointer(start: string, count: strlen(string)).map(UInt8.init(bitPattern:))[...]
    while let byte = rest.first {
      // A character has at most four bytes.
      let character = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
      text += character ?? "%" + String(byte, radix: 16, uppercase: true)
      rest = rest.dropFirst(character?.utf8.count ?? 1)
    }
    return text
  }

  /// Prints a line on standard error, if that is possible.
  package static func printError(_ line: String) {
    var rest = Array("\(line)\n".utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends the process after its exit handlers.
  ///
  /// The corresponding C function is `exit`.
  package static func end(_ status: Int32) -> Never { exit(status) }

  /// Ends the process at once, without its exit handlers.
  ///
  /// The corresponding C function is `_exit`.
  package static func endAtOnce(_ status: Int32) -> Never { _exit(status) }

  /// Suspends the calling thread.
  ///
  /// A thread that has taken a user's rights has the process's own meanwhile, so that another thread's call of `setuid`
  /// does not wait for it.
  package static func pause(microseconds: Int) {
    var time = timespec(tv_sec: microseconds / 1_000_000, tv_nsec: microseconds % 1_000_000 * 1000)
    // A signal ends the pause early; the caller reads the clock anyway.
    _ = FileRights.withOwn { nanosleep(&time, nil) }
  }
}
