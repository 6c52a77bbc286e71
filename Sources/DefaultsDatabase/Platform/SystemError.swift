#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("SystemError: name this platform's C library here.")
#endif

/// An error number of the operating system.
package struct SystemError: Error, Hashable, Sendable {
  /// The number, as `errno` has it.
  package let code: Int32

  package init(code: Int32) {
    self.code = code
  }

  package static let alreadyExists = SystemError(code: EEXIST)
  /// A number that stands for no open file.
  package static let badDescriptor = SystemError(code: EBADF)
  package static let brokenPipe = SystemError(code: EPIPE)
  package static let isDirectory = SystemError(code: EISDIR)
  package static let invalidArgument = SystemError(code: EINVAL)
  package static let interrupted = SystemError(code: EINTR)
  package static let inputOutput = SystemError(code: EIO)
  package static let noSpace = SystemError(code: ENOSPC)
  package static let notAllowed = SystemError(code: EPERM)
  package static let notEmpty = SystemError(code: ENOTEMPTY)
  package static let notFound = SystemError(code: ENOENT)
  package static let notPermitted = SystemError(code: EACCES)
  /// A pipe that no process has opened to write.
  package static let noWriter = SystemError(code: ENXIO)
  /// A pipe that no process has opened to read; the system's own code for it.
  package static let noReader = SystemError(code: ENXIO)
  package static let notADirectory = SystemError(code: ENOTDIR)
  package static let notSupported = SystemError(code: ENOTSUP)
  /// A name that the system gave is not UTF-8.
  package static let notUTF8 = SystemError(code: EILSEQ)
  package static let readOnly = SystemError(code: EROFS)
  package static let timedOut = SystemError(code: ETIMEDOUT)
  package static let tooManyOpenFiles = SystemError(code: EMFILE)
  package static let tooManyLinks = SystemError(code: ELOOP)
  package static let tooLarge = SystemError(code: EFBIG)
  package static let tryAgain = SystemError(code: EAGAIN)
}

extension SystemError: CustomStringConvertible {
  /// The system's own words, for example `Permission denied`.
  package var description: String {
    code == EILSEQ ? "a name or a link's destination is not UTF-8" : String(cString: strerror(code))
  }

  /// Whether it says that this file, or this file system, cannot have hard links.
  var isLackOfLinks: Bool {
    [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(code)
  }

  /// Whether the user may not lock a file, or its file system has no locks, or none for who may only read (NFS).
  var deniesLock: Bool {
    [EACCES, EPERM, EROFS, EBADF, ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(code)
  }

  /// Whether the same call may succeed a moment later, though nobody changes a file: descriptors or memory are used up, or
  /// another process holds a lease.
  var isPassing: Bool {
    [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, ESTALE, ETIMEDOUT, EIO].contains(code)
  }

  /// The action to suggest; empty if the description suffices.
  var advice: String {
    switch code {
    case EACCES, EPERM: "check the permissions and the owner"
    case ENOSPC, EDQUOT: "free some space and save again"
    case EMFILE, ENFILE: "close some files and try again"
    case ELOOP: "the symbolic links form a cycle, or one of them may not be followed"
    case EILSEQ: "give it a name in UTF-8"
    default: ""
    }
  }
}
