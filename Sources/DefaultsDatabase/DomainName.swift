import OpenStepPropertyList

/// A domain's name that can be the name of its file; compared by its UTF-8 bytes.
package struct DomainName: Hashable, Sendable {
  /// The longest name in UTF-8 bytes: with `.plist` it fills the 255 bytes of a file's name.
  package static let maximumLength = 249

  /// The domain that every program of a user shares.
  package static let global = DomainName(checked: "NSGlobalDomain")

  /// The domain of a process that runs under a name no domain can have.
  package static let unnamed = DomainName(checked: "Unnamed")

  /// The name as it stands.
  package var text: String { key.text }

  private let key: PropertyListKey

  private init(checked text: String) {
    key = PropertyListKey(text)
  }

  /// Checks a name.
  ///
  /// - Throws: an error of the kind `refusedName` for a name that is empty, is longer than 249 UTF-8
  ///   bytes, or holds `/` or NUL. Every other name is its file's name, `..` included: with the
  ///   extension behind it that is only a file.
  package init(_ text: String) throws(DatabaseError) {
    if let reason = DomainName.refusal(of: text) {
      throw DatabaseError(
        .refusedName, path: "“\(text)”", message: "cannot be the name of a domain: \(reason)",
        advice: "nothing was read or written; choose another name")
    }
    self.init(checked: text)
  }

  private static func refusal(of text: String) -> String? {
    let bytes = text.utf8
    if bytes.isEmpty { return "it is empty" }
    if bytes.contains(UInt8(ascii: "/")) { return "it contains “/”" }
    if bytes.contains(0) { return "it contains the character NUL" }
    if bytes.count > maximumLength {
      return "it is \(bytes.count) bytes long, more than \(maximumLength)"
    }
    return nil
  }
}

extension DomainName: Comparable {
  /// Orders names by code point.
  package static func < (left: DomainName, right: DomainName) -> Bool {
    left.key < right.key
  }
}

extension DomainName: CustomStringConvertible {
  package var description: String { text }
}
