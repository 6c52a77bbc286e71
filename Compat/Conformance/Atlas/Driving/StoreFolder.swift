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
    try FileManager.default.contents(atPath: file(domain).path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether any file, of whatever name, contains exactly this text.
  func keeps(_ text: String) -> Bool {
    contents().values.contains(Data(text.utf8))
  }

  /// The contents of all files, by their paths relative to the directory.
  func contents() -> [String: Data] {
    let paths = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
    let pairs = paths.compactMap { path in
      FileManager.default.contents(atPath: url.path + "/" + path).map { (path, $0) }
    }
    return Dictionary(uniqueKeysWithValues: pairs)
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
