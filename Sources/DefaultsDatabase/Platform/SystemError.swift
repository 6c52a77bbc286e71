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
  package static let isDirectory = SystemError(code: EISDIR)
  package static let invalidArgument = SystemError(code: EINVAL)
  package static let interrupted = SystemError(code: EINTR)
  package static let inputOutput = SystemError(code: EIO)
  package static let noSpace = SystemError(code: ENOSPC)
  package static let notAllowed = SystemError(code: EPERM)
  package static let notFound = SystemError(code: ENOENT)
  package static let notPermitted = SystemError(code: EACCES)
  package static let notADirectory = SystemError(code: ENOTDIR)
  package static let notSupported = SystemError(code: ENOTSUP)
  package static let readOnly = SystemError(code: EROFS)
  package static let tooManyOpenFiles = SystemError(code: EMFILE)
  package static let tooManyLinks = SystemError(code: ELOOP)
  package static let tooLarge = SystemError(code: EFBIG)
}

extension SystemError: CustomStringConvertible {
  /// The system's own words, for example `Permission denied`.
  package var description: String {
    String(cString: strerror(code))
  }

  /// Whether it tells that this file, or this file system, cannot have second names.
  var isLackOfLinks: Bool {
    [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(code)
  }

  /// What a user can do about it; empty where the words say it all.
  var advice: String {
    switch code {
    case EACCES, EPERM: "check the permissions and the owner"
    case ENOSPC, EDQUOT: "free some space and save again"
    case EMFILE, ENFILE: "close some files and try again"
    case ELOOP: "the links lead in a circle; repair them"
    default: ""
    }
  }
}
