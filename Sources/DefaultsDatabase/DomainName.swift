import OpenStepPropertyList

/// A domain's name from which its file's name can be made; compared by its UTF-8 bytes.
package struct DomainName: Hashable, Sendable {
  /// The longest name of a file without its extension, in UTF-8 bytes: with `.plist` it fills the 255 bytes that a
  /// file system takes.
  package static let maximumLength = 249

  /// The domain that every program of a user shares.
  package static let global = DomainName(checked: "NSGlobalDomain")
  /// The volatile domain that the command line makes.
  package static let argument = DomainName(checked: "NSArgumentDomain")
  /// The volatile domain of what a program registers.
  package static let registration = DomainName(checked: "NSRegistrationDomain")

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
  /// - Parameter dialect: Whose programs share the directory in which the domain lies.
  /// - Throws: an error of the kind `refusedName` for a name that is empty, holds NUL, or is longer than 249 UTF-8
  ///   bytes as a file's name (``fileBaseName(in:)``); in GNUstep's directories also for one that holds `/`. Every
  ///   other name has a file, `..` included: with the extension behind it that is only a file.
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
