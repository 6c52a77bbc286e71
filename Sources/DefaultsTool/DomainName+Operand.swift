import DefaultsDatabase

extension DomainName {
  /// The domain that an argument of the tool names.
  ///
  /// An argument with “/” looks like a file's path, which no verb accepts as a domain; lines of standard
  /// input can name such a domain.
  ///
  /// - Throws: an error of the kind `refusedName` for such an argument, and for a name that no domain can
  ///   have.
  init(operand: String) throws(DatabaseError) {
    guard !operand.utf8.contains(UInt8(ascii: "/")) else {
      throw DatabaseError(
        .refusedName, path: "“\(operand)”", message: "is not taken for a domain, since it contains “/”",
        advice:
          "nothing was read or written; “defaults write” and “defaults delete” take such a domain in lines of "
          + "standard input")
    }
    try self.init(operand)
  }
}
