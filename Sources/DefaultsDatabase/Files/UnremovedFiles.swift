import OpenStepPropertyList

/// The temporary files of this process that could not be removed.
///
/// In a directory where files can be made and not removed (Linux's flag `a`, some network file systems), each attempt to save
/// leaves one, and an attempt is made every two seconds.
package final class UnremovedFiles: Sendable {
  static let shared = UnremovedFiles()

  /// How many lie in a directory at most.
  static let maximumCount = 8

  /// Their paths, by the path of their directory.
  private let files = Lock<[PropertyListKey: [String]]>([:])

  package init() {}

  func add(_ path: String, in directory: String) {
    files.withLock { $0[PropertyListKey(directory), default: []].append(path) }
  }

  /// Tries again to remove those that lie in a directory.
  ///
  /// - Throws: why one cannot be removed, if there are as many as there may be.
  func remove(in directory: String, fileSystem: any FileSystem) throws(SystemError) {
    let key = PropertyListKey(directory)
    guard let paths = files.withLock({ $0.removeValue(forKey: key) }) else { return }
    var left: [String] = []
    var failure: SystemError?
    for path in paths {
      do throws(SystemError) {
        try fileSystem.remove(path)
      } catch SystemError.notFound {
        continue
      } catch {
        left.append(path)
        failure = error
      }
    }
    if left.isEmpty { return }
    // Another thread may have added one meanwhile.
    let count = files.withLock { files in
      files[key, default: []] += left
      return files[key]?.count ?? 0
    }
    if let failure, count >= UnremovedFiles.maximumCount { throw failure }
  }
}
