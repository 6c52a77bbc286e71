import OpenStepPropertyList

/// The name of a domain that can have a file; compared by its UTF-8 bytes.
package struct DomainName: Hashable, Sendable {
  /// The longest file name without its extension, in UTF-8 bytes: with `.plist` it takes the 255 bytes that a
  /// file system allows.
  package static let maximumLength = 249

  /// The domain that all programs of a user share.
  package static let global = DomainName(checked: "NSGlobalDomain")
  /// The volatile domain of the command line's arguments.
  package static let argument = DomainName(checked: "NSArgumentDomain")
  /// The volatile domain of the values that a program registers.
  package static let registration = DomainName(checked: "NSRegistrationDomain")

  /// The domain of a process whose name no domain can have.
  package static let unnamed = DomainName(checked: "Unnamed")

  /// The unescaped name.
  package var text: String { key.text }

  private let key: PropertyListKey

  private init(checked text: String) {
    key = PropertyListKey(text)
  }

  /// Checks a name.
  ///
  /// - Parameter dialect: Whose programs share the domain's directory.
  /// - Throws: an error of the kind `refusedName` if the name is empty, contains NUL, or is longer than 249
  ///   UTF-8 bytes as a file's name (``fileBaseName(in:)``); in GNUstep's directories also if it contains
  ///   `/`. Every other name is valid, even `..`: with the extension it is an ordinary file's name.
  package init(_ text: String, in dialect: DatabaseDialect = .openStep) throws(DatabaseError) {
    if let reason = DomainName.refusal(of: text, in: dialect) {
      throw DatabaseError(
        .refusedName, path: "“\(text)”", message: "cannot be the name of a domain: \(reason)",
        advice: "nothing was read or written; choose another name")
    }
    self.init(checked: text)
  }

  private static func refusal(of text: String, in dialect: DatabaseDialect) -> String? {
    let bytes = text.utf8
    if bytes.isEmpty { return "it is empty" }
    if bytes.contains(0) { return "it contains the character NUL" }
    if dialect == .gnustep, bytes.contains(UInt8(ascii: "/")) {
      return "it contains “/”, which GNUstep's programs take for the path of another file"
    }
    let length = dialect == .openStep ? escaped(text).utf8.count : bytes.count
    if length > maximumLength {
      return "its file's name is \(length) bytes long, more than \(maximumLength)"
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
