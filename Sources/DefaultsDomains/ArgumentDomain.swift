import DefaultsDatabase
package import OpenStepPropertyList

/// The defaults that a program is started with: `-Key value` on its command line.
package enum ArgumentDomain {
  /// The domain that a program's arguments make, by GNUstep's rules as run.
  ///
  /// An argument that begins with a hyphen is a key (one hyphen is taken off) if a value follows. A
  /// value does not begin with a hyphen, but a lone hyphen is one. Everything else is skipped. The
  /// last of two equal keys wins.
  ///
  /// - Parameters:
  ///   - arguments: All arguments; the first is the program and does not count.
  ///   - takesLoneHyphen: Whether a lone hyphen is a value; on Apple's systems it is none.
  package static func values(
    of arguments: [String], takesLoneHyphen: Bool = true
  ) -> [PropertyListKey: PropertyList] {
    var result: [PropertyListKey: PropertyList] = [:]
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      guard argument.utf8.first == hyphen, argument != "-" else { continue }
      guard let text = rest.first else { continue }
      guard text.utf8.first != hyphen || (text == "-" && takesLoneHyphen) else { continue }
      rest.removeFirst()
      // Bytes, not characters: a combining mark after the hyphen would make one character with it.
      result[PropertyListKey(String(Substring(argument.utf8.dropFirst())))] = value(of: text)
    }
    return result
  }

  private static let hyphen = UInt8(ascii: "-")

  /// The property list that an argument is, or else its text as it stands.
  private static func value(of text: String) -> PropertyList {
    let value = try? DomainFileFormat.propertyList(from: Array(text.utf8), textOptions: .argument).0
    // What does not parse is no mistake here: most arguments are plain words.
    return value ?? .string(text)
  }
}
