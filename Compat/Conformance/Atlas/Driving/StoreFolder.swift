import Foundation

/// The directory of domain files, which the vectors read and write without the library.
struct StoreFolder {
  let url: URL
  /// The name of a domain's file, with `{domain}` for the domain.
  var fileName = "{domain}.plist"

  /// The file of a domain, its name taken literally as a path.
  private func file(_ domain: String) throws -> URL {
    guard !domain.utf8.contains(0) else { throw NotSupported(what: "a file name that holds NUL") }
    return URL(fileURLWithPath: url.path + "/" + fileName.replacingOccurrences(of: "{domain}", with: domain))
  }

  /// Replaces the text of a domain's file.
  func write(_ text: String, domain: String) throws {
    try Data(text.utf8).write(to: try file(domain), options: .atomic)
  }

  func setMode(_ octal: String, domain: String) throws {
    guard let mode = Int(octal, radix: 8) else { throw NotSupported(what: "the mode “\(octal)”") }
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: try file(domain).path)
  }

  func exists(domain: String) throws -> Bool {
    try attributes(domain: domain) != nil
  }

  /// The mode of a domain's file in octal digits.
  func mode(domain: String) throws -> String? {
    try (attributes(domain: domain)?[.posixPermissions] as? NSNumber).map { String($0.intValue, radix: 8) }
  }

  func text(domain: String) throws -> String? {
    StoreFolder.bytes(at: try file(domain).path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether any file, of whatever name, contains exactly this text.
  func keeps(_ text: String) -> Bool {
    contents().values.contains(Data(text.utf8))
  }

  /// The contents of all regular files, by their paths relative to the directory.
  func contents() -> [String: Data] {
    var contents: [String: Data] = [:]
    for path in paths { contents[path] = StoreFolder.bytes(at: url.path + "/" + path) }
    return contents
  }

  /// Copies the directories, regular files and links to a directory that does not exist.
  ///
  /// - Throws: `NotSupported` for what a driver has made that is not copied as a whole: an experiment that is repeated
  ///   from a part of it would have another result.
  func copy(to other: URL) throws {
    let manager = FileManager.default
    try manager.createDirectory(at: other, withIntermediateDirectories: true)
    let paths = paths
    guard paths.count < StoreFolder.greatestCount else {
      throw NotSupported(what: "a home directory of \(StoreFolder.greatestCount) files")
    }
    var modes: [(path: String, mode: NSNumber)] = []
    // Set last, since nothing can be copied into a directory that may not be written.
    defer {
      for (path, mode) in modes.reversed() {
        try? manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      }
    }
    for path in paths {
      let (source, copy) = (url.path + "/" + path, other.path + "/" + path)
      let attributes = try manager.attributesOfItem(atPath: source)
      let mode = attributes[.posixPermissions] as? NSNumber ?? 0o600
      switch attributes[.type] as? FileAttributeType {
      case .typeDirectory: try manager.createDirectory(atPath: copy, withIntermediateDirectories: true)
      case .typeSymbolicLink:
        try manager.createSymbolicLink(
          atPath: copy, withDestinationPath: try manager.destinationOfSymbolicLink(atPath: source))
        continue
      case .typeRegular:
        guard let bytes = StoreFolder.bytes(at: source), bytes.count < StoreFolder.greatestSize else {
          throw NotSupported(what: "the file \(path), which cannot be read or is too large")
        }
        try bytes.write(to: URL(fileURLWithPath: copy))
      // A driver may have made a pipe, which nobody can copy.
      default: continue
      }
      modes.append((copy, mode))
    }
  }

  /// The number of paths from which on a directory is not looked at as a whole.
  private static let greatestCount = 10_000
  /// The size from which on a file is not read as a whole.
  private static let greatestSize = 64 << 20

  /// The paths of what is in the directory, relative to it; of a driver that makes files without end the first.
  private var paths: [String] {
    var paths: [String] = []
    guard let enumerator = FileManager.default.enumerator(atPath: url.path) else { return [] }
    while paths.count < StoreFolder.greatestCount, let path = enumerator.nextObject() as? String {
      paths.append(path)
    }
    return paths
  }

  /// The bytes of a regular file, of a large one the first 64 MiB; nil for all else.
  ///
  /// A driver may have made a pipe, which would keep the runner waiting, or a link to a device without an end.
  private static func bytes(at path: String) -> Data? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return (try? handle.read(upToCount: greatestSize)) ?? Data()
  }

  /// The attributes of a domain's file, without following links; nil if there is none.
  private func attributes(domain: String) throws -> [FileAttributeKey: Any]? {
    do {
      return try FileManager.default.attributesOfItem(atPath: file(domain).path)
    } catch CocoaError.fileReadNoSuchFile {
      return nil
    }
  }
}
