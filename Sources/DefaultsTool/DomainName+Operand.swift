import DefaultsDatabase

/// A word of a verb whose options may stand anywhere.
struct DomainWord {
  let text: String
  /// Whether a domain of this name is meant even if “/” is in it.
  var isLiteral = false

  init(_ text: String, isLiteral: Bool = false) {
    self.text = text
    self.isLiteral = isLiteral
  }

  /// The domain that an option in its place names; nil for another option.
  ///
  /// - Parameter rest: The words behind the option.
  init?(
    option: String, _ rest: inout ArraySlice<String>, of command: any Subcommand.Type
  ) throws {
    switch option {
    case _ where DomainOperand.globalNames.contains(option):
      self.init(DomainName.global.text)
    case "-currentHost", "-host":
      throw CommandError.oneHost(option)
    case "-domain":
      guard let name = rest.popFirst() else { throw command.usageError("“-domain” takes a domain's name") }
      self.init(name, isLiteral: true)
    case "-app":
      guard let name = rest.popFirst() else { throw command.usageError("“-app” takes an application's name") }
      self.init(try DomainOperand.domain(ofApplication: name, in: .openStep).description, isLiteral: true)
    default:
      return nil
    }
  }

  /// The domain.
  func domain() throws(DatabaseError) -> DomainName {
    if isLiteral { return try DomainName(text) }
    return DomainOperand.globalNames.contains(text) ? .global : try DomainName(operand: text)
  }
}

extension DomainName {
  /// The domain that an argument of the tool names.
  ///
  /// An argument with “/” looks like a file's path, which these verbs do not take for a domain.
  ///
  /// - Throws: an error of the kind `refusedName` for such an argument, and for a name that no domain can
  ///   have.
  init(operand: String) throws(DatabaseError) {
    guard !operand.utf8.contains(UInt8(ascii: "/")) else {
      throw DatabaseError(
        .refusedName, path: "“\(operand)”", message: "is not taken for a domain, since it contains “/”",
        advice:
          "nothing was read or written; a domain of that name is given as “-domain”, a space and the name")
    }
    try self.init(operand)
  }
}
