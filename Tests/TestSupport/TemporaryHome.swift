import Foundation

/// A temporary directory of one test's own, removed with its contents when nobody holds it any more.
///
/// Keep it in a property of the suite, which lives as long as the test does.
public final class TemporaryHome: Sendable {
  /// The directory's absolute path, without symbolic links in it.
  public let path: String

  /// Makes the directory, open to its owner only.
  public init() throws {
    let place = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    path = place.appendingPathComponent("defaults-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // What a failing test left unreadable stays; the system sweeps its temporary directory.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of something in the directory.
  public func path(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// Makes or replaces a file.
  public func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  /// Makes or replaces a file of UTF-8 text.
  public func write(_ text: String, to name: String) throws {
    try write(text.utf8, to: name)
  }

  /// A file's bytes.
  public func bytes(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// A file's text.
  public func text(of name: String) throws -> String {
    String(decoding: try bytes(of: name), as: UTF8.self)
  }

  /// Whether there is something of a name; a link that leads nowhere is something.
  public func exists(_ name: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path(name))) != nil
  }

  /// The names of all that lies in the directory or in one of its own, sorted.
  public func names(in directory: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(directory)).sorted()
  }

  /// The permission bits of something in the directory.
  public func mode(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
  }
}
