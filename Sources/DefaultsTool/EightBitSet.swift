import OpenStepPropertyList

/// The character sets that `-encoding` names.
enum EightBitSet {
  static let names = ["nextstep", "latin1"]

  /// The character set of a name.
  ///
  /// - Throws: a usage error of the command if the name is missing or unknown.
  static func encoding(
    named name: String?, for command: any Subcommand.Type
  ) throws(CommandError) -> PropertyList.ParsingOptions.EightBitEncoding {
    switch name {
    case "nextstep": return .nextStep
    case "latin1": return .isoLatin1
    case .some(let name):
      let names = names.joined(separator: ", ")
      throw command.usageError("there is no character set “\(name)”; use one of: \(names)")
    case nil:
      throw command.usageError("“-encoding” takes a character set: \(names.joined(separator: ", "))")
    }
  }
}
