import CDefaultsFileRights

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error(
    "HeldDirectory: name this platform's C library here, and how it tells the path of an open directory.")
#endif

/// An open directory through which the calling thread reaches it and its entries, in place of looking up its path each
/// time.
///
/// A path leads there if it begins with the path by which the directory was opened. It belongs to the thread that made
/// it, until ``letGo()``; of several the last one counts, and is let go first.
package struct HeldDirectory {
  /// The path, which the C functions compare with others.
  private let path: UnsafeMutablePointer<CChar>
  /// What the thread held before.
  private let before: cfilerights_held
  /// The path of the directory when it was opened, without links; nil where the system does not tell it.
  let place: String?

  /// Opens a directory.
  ///
  /// - Parameter directory: A descriptor of the directory, if it is open already: then its path is not looked up.
  init(_ path: String, open directory: Int32? = nil) throws(SystemError) {
    guard let copy = strdup(path) else { throw SystemError(code: errno) }
    var before = cfilerights_held()
    let code = cfilerights_hold(copy, directory ?? -1, &before)
    guard code == 0 else {
      free(copy)
      throw SystemError(code: code)
    }
    (self.path, self.before) = (copy, before)
    place = try? HeldDirectory.findPresentPlace()
  }

  /// Whether the calling thread holds the directory of a path.
  static func isHeld(_ path: String) -> Bool { cfilerights_holds(path) != 0 }

  /// Whether the directory was moved since it was opened; false where the system did not tell its place then.
  var isMoved: Bool {
    guard let place else { return false }
    do throws(SystemError) {
      return try HeldDirectory.findPresentPlace() != place
    } catch {
      // A place that can no longer be found, because it is no string or too long, is another one.
      return !error.isPassing
    }
  }

  private static func findPresentPlace() throws(SystemError) -> String? {
    #if canImport(Darwin)
      var buffer = [CChar](repeating: 0, count: Int(MAXPATHLEN))
      guard fcntl(cfilerights_held_directory(), F_GETPATH, &buffer) == 0 else {
        throw SystemError(code: errno)
      }
      return buffer.withUnsafeBufferPointer { $0.baseAddress.flatMap { String(validatingCString: $0) } }
    #else
      return try DiskFileSystem().destination(ofLink: "/proc/self/fd/\(cfilerights_held_directory())")
    #endif
  }

  /// Closes the directory.
  package func letGo() {
    withUnsafePointer(to: before) { cfilerights_let_go($0) }
    free(path)
  }
}
