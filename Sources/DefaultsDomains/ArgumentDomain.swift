import DefaultsDatabase
package import OpenStepPropertyList

/// The defaults with which a program is started: `-Key value` on its command line.
package enum ArgumentDomain {
  /// The values in a program's arguments, by GNUstep's rules as run.
  ///
  /// An argument that begins with a hyphen is a key (without that hyphen) if a value follows. A value does
  /// not begin with a hyphen, except that a lone hyphen is a value. Everything else is skipped. The last of
  /// two equal keys wins.
  ///
  /// - Parameters:
  ///   - arguments: All arguments; the first is the program's name and is ignored.
  ///   - takesLoneHyphen: Whether a lone hyphen is a value; on Apple's systems it is not.
  package static func values(
    of arguments: [String], takesLoneHyphen: Bool = true
  ) -> [PropertyListKey: PropertyList] {
    let texts = texts(of: arguments, takesLoneHyphen: takesLoneHyphen)
    // Most programs have none, and the first dictionary of values takes a process long (Architecture, “Start-up”).
    return texts.isEmpty ? [:] : texts.mapValues(value)
  }

  /// The same values as they stand on the command line, unparsed.
  package static func texts(
    of arguments: [String], takesLoneHyphen: Bool = true
  ) -> [PropertyListKey: String] {
    var result: [PropertyListKey: String] = [:]
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      guard argument.utf8.first == hyphen, argument != "-" else { continue }
      guard let text = rest.first else { continue }
      guard text.utf8.first != hyphen || (text == "-" && takesLoneHyphen) else { continue }
      rest.removeFirst()
      // Handled as bytes: a combining mark after the hyphen would form one character with it.
      result[PropertyListKey(String(Substring(argument.utf8.dropFirst())))] = text
    }
    return result
  }

  private static let hyphen = UInt8(ascii: "-")

  /// The property list that an argument contains, or else its text unchanged.
  private static func value(of text: String) -> PropertyList {
    let value = try? DomainFileFormat.propertyList(from: text, textOptions: .argument)
    // An argument that does not parse is not an error: most arguments are plain words.
    return value ?? .string(text)
  }
}
