package import Foundation
package import OpenStepPropertyList

/// The stored form of URLs: a file URL as its path, any other as a keyed archive, as on Apple's systems.
package enum URLCoding {
  /// The value that is stored for a URL; ``url(_:)`` gives an equal URL for it.
  package static func propertyList(_ url: URL) -> PropertyList {
    path(of: url).map { .string($0) } ?? .data(URLArchive.bytes(of: url))
  }

  /// The URL in an object, with its base, which a cast from `NSURL` loses on Linux; else nil.
  package static func url(given object: Any) -> URL? {
    guard let object = Wrapper.contents(of: object) else { return nil }
    if type(of: object) is NSURL.Type, let url = object as? NSURL {
      return URL(string: url.relativeString, relativeTo: url.baseURL)
    }
    return object as? URL
  }

  /// The URL for a stored value, or nil.
  ///
  /// A string is the path of a file, with `~` for the home directory; a relative path begins in the working
  /// directory. Data has to be an archive of a URL.
  package static func url(_ value: PropertyList?) -> URL? {
    switch value {
    case .string(let path): fileURL(path)
    case .data(let bytes): URLArchive.url(in: bytes)
    default: nil
    }
  }

  // MARK: - Files

  private static func fileURL(_ path: String) -> URL {
    let path = (path as NSString).expandingTildeInPath(keepingSlashOf: path)
    guard !path.isEmpty else { return URL(fileURLWithPath: "") }
    // The hint makes the result independent of the files that exist at present.
    return URL(filePath: path, directoryHint: path.utf8.last == slash ? .isDirectory : .notDirectory)
  }

  /// The path to store for a URL, with `~` for the home directory; nil if it would give another URL back.
  private static func path(of url: URL) -> String? {
    guard url.isFileURL, url.baseURL == nil else { return nil }
    var path = url.path(percentEncoded: false)
    // Whole components only: /home/ann does not contain /home/anna.
    let home = NSHomeDirectory()
    if home != "/", path.utf8.starts(with: home.utf8) {
      let rest = path.utf8.dropFirst(home.utf8.count)
      if rest.isEmpty || rest.first == slash { path = "~" + String(Substring(rest)) }
    }
    return isSame(fileURL(path), url) ? path : nil
  }

  private static let slash = UInt8(ascii: "/")

  private static func isSame(_ first: URL, _ second: URL) -> Bool {
    first.relativeString == second.relativeString
      && first.baseURL?.absoluteString == second.baseURL?.absoluteString
  }
}

extension NSString {
  /// The path with the home directory in place of `~`, and with its final slash, which Foundation removes.
  fileprivate func expandingTildeInPath(keepingSlashOf path: String) -> String {
    guard path.utf8.first == UInt8(ascii: "~") else { return path }
    // A name that no user can have is not looked up: some modules of the C library copy it onto the stack, which a long one
    // would overrun. With a directory before it, `URL` looks for no user either.
    let name = path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") }
    guard name.count <= 255 else { return "./" + path }
    let expanded = expandingTildeInPath
    let isCut = path.utf8.last == UInt8(ascii: "/") && expanded.utf8.last != UInt8(ascii: "/")
    return isCut ? expanded + "/" : expanded
  }
}
