import DefaultsDatabase

/// A word of a verb whose options may stand anywhere: a domain, or a path.
struct DomainWord {
  let text: String
  /// Whether a domain of this name is meant, whatever the word is.
  private let isLiteral: Bool
  /// The option by which a domain was named; nil for a word that stands by itself.
  private var option: String?

  init(_ text: String, isLiteral: Bool = false) {
    self.text = text
    self.isLiteral = isLiteral
  }

  /// The domain that an option in its place names; nil for another option.
  ///
  /// - Parameter rest: The words behind the option.
  /// - Throws: also the refusal of macOS's options for one host.
  init?(
    option: String, _ rest: inout ArraySlice<String>, of command: any Subcommand.Type,
    in dialect: DatabaseDialect
  ) throws {
    switch option {
    case _ where DomainOperand.isGlobal(option):
      self.init(option)
    case "-domain":
      guard let name = rest.popFirst() else { throw command.usageError("“-domain” takes a domain's name") }
      self.init(name, isLiteral: true)
    case "-app":
      guard let name = rest.popFirst() else { throw command.usageError("“-app” takes an application's name") }
      self.init(try DomainOperand.domain(ofApplication: name, in: dialect).description, isLiteral: true)
    case "-currentHost", "-host":
      throw CommandError.oneHost(option)
    default:
      return nil
    }
    self.option = option
  }

  /// The path that stands where no domain is due any more.
  ///
  /// - Throws: a usage error for an option that names a domain.
  func path(of command: any Subcommand.Type) throws(CommandError) -> String {
    guard let option else { return text }
    throw command.usageError(
      "“\(option)” names a domain where a path is due; a file of that name is “./\(option)”")
  }

  /// The domain.
  ///
  /// - Throws: an error of the kind `refusedName` for the path of a file, which these verbs do not take for a domain,
  ///   and for a name that no domain can have.
  func domain(in dialect: DatabaseDialect) throws(DatabaseError) -> DomainName {
    if isLiteral { return try DomainName(text, in: dialect) }
    switch try DomainOperand(text, in: dialect) {
    case .domain(let name): return name
    case .file(let path):
      throw DatabaseError(
        .refusedName, path: "“\(path)”", message: "is not taken for a domain, since it contains “/”",
        advice:
          "nothing was read or written; a domain of that name is given as “-domain”, a space and the name")
    }
  }
}
