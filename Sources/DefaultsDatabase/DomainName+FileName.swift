/// The bijection between the names of domains and the names of their files.
///
/// A file's name cannot contain `/`, but a domain's can: programs name suites by paths and by `#fileID`. In a
/// domain's file name, `/` is written as `%2F`; a `%` before any number of `25` and then `2F` is written as
/// `%25`; all other characters are unchanged. So `a/b` is stored in `a%2Fb.plist` and `a%2Fb` in
/// `a%252Fb.plist`. Each name has one file and each file one name, and a name without `%…2F` in it is its
/// file's name.
///
/// GNUstep's programs do not know this rule, so in their directories the names are the same.
extension DomainName {
  /// The name of the domain's file, without its extension.
  func fileBaseName(in dialect: DatabaseDialect) -> String {
    switch dialect {
    case .openStep: DomainName.escaped(text)
    case .gnustep: text
    }
  }

  /// The name of the domain whose file has a name, given without its extension.
  ///
  /// - Throws: an error of the kind `refusedName` for a name that no domain's file has.
  init(fileBaseName name: String, in dialect: DatabaseDialect) throws(DatabaseError) {
    try self.init(dialect == .openStep ? DomainName.unescaped(name) : name, in: dialect)
  }

  /// Whether a file's name differs from its domain's.
  static func isEscaped(fileBaseName name: String) -> Bool {
    name.utf8.contains(percent) && unescaped(name) != name
  }

  static func escaped(_ text: String) -> String {
    let bytes = text.utf8
    guard bytes.contains(where: { $0 == slash || $0 == percent }) else { return text }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 8)
    var rest = bytes[...]
    while let byte = rest.first {
      if byte == slash {
        result += escapedSlash
      } else if byte == percent, isEscape(rest) {
        result += escapedPercent
      } else {
        result.append(byte)
      }
      rest.removeFirst()
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The inverse of ``escaped(_:)``.
  package static func unescaped(_ name: String) -> String {
    let bytes = name.utf8
    guard bytes.contains(percent) else { return name }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.first {
      guard byte == percent, isEscape(rest) else {
        result.append(byte)
        rest.removeFirst()
        continue
      }
      // Both escapes take three bytes; the characters after `%25` are unchanged.
      result.append(rest.starts(with: escapedSlash) ? slash : percent)
      rest = rest.dropFirst(escapedSlash.count)
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Whether a text begins with `%`, any number of `25`, and `2F`.
  private static func isEscape(_ text: Substring.UTF8View) -> Bool {
    var rest = text.dropFirst()
    while rest.starts(with: escapedPercent.dropFirst()) { rest = rest.dropFirst(2) }
    return rest.starts(with: escapedSlash.dropFirst())
  }

  private static let slash = UInt8(ascii: "/")
  private static let percent = UInt8(ascii: "%")
  private static let escapedSlash = Array("%2F".utf8)
  private static let escapedPercent = Array("%25".utf8)
}
