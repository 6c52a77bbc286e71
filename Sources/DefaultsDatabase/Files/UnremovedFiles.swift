import OpenStepPropertyList

/// The temporary files of this process that could not be removed.
///
/// In a directory where files can be made and not removed (Linux's flag `a`, some network file systems), each attempt to save
/// leaves one, and an attempt is made every two seconds.
package final class UnremovedFiles: Sendable {
  static let shared = UnremovedFiles()

  /// With how many in a directory no further file is made there; each thread that makes one at that moment can add one more.
  static let maximumCount = 8

  /// Their paths, by the path of their directory.
  private let files = Lock<[PropertyListKey: Set<PropertyListKey>]>([:])

  package init() {}

  func add(_ path: String, in directory: String) {
    _ = files.withLock { $0[PropertyListKey(directory), default: []].insert(PropertyListKey(path)) }
  }

  /// Tries again to remove those that lie in a directory.
  ///
  /// - Throws: why one cannot be removed, if there are as many as there may be.
  func remove(in directory: String, fileSystem: any FileSystem) throws(SystemError) {
    let key = PropertyListKey(directory)
    // Each stays in the table until it is gone, so that another thread, which tries the same, counts it too.
    guard let paths = files.withLock({ $0[key] }) else { return }
    var gone: Set<PropertyListKey> = []
    var failure: SystemError?
    for path in paths {
      do throws(SystemError) {
        try fileSystem.remove(path.text)
        gone.insert(path)
      } catch SystemError.notFound {
        gone.insert(path)
      } catch {
        failure = error
      }
    }
    let count = files.withLock { files in
      files[key]?.subtract(gone)
      if files[key]?.isEmpty == true { files[key] = nil }
      return files[key]?.count ?? 0
    }
    if let failure, count >= UnremovedFiles.maximumCount { throw failure }
  }
}
