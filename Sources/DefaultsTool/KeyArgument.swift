import OpenStepPropertyList

/// A key as an argument: the key as it stands, or a path if it begins with “.” or “[”.
struct KeyArgument: Hashable {
  /// The path from the domain's dictionary to the value.
  let path: PropertyListPath
  /// The argument as it was given.
  let text: String

  /// Reads an argument.
  ///
  /// - Throws: a usage error for what begins as a path and is none.
  init(_ text: String, of command: any Subcommand.Type) throws(CommandError) {
    self.text = text
    guard KeyArgument.isPath(text) else {
      path = PropertyListPath([.key(PropertyListKey(text))])
      return
    }
    do throws(PropertyListError) {
      path = try PropertyListPath(text)
    } catch {
      let place = error.column > 0 ? "at character \(error.column), " : ""
      guard text.utf8.count <= KeyArgument.maximumQuotedLength else {
        throw CommandError(
          .usage,
          "a key that begins with “.” or “[” is a path, and this one is none: \(place)\(error.message)")
      }
      let literal = ShellWord.text(KeyArgument.text(of: PropertyListKey(text)))
      throw CommandError(
        .usage,
        "“\(text)” is no path to a value: \(place)\(error.message); a key that begins so is written \(literal)"
      )
    }
  }

  /// How many bytes of an argument a message repeats at most.
  private static let maximumQuotedLength = 200

  /// Whether an argument is taken for a path.
  static func isPath(_ text: String) -> Bool {
    text.utf8.first == UInt8(ascii: ".") || text.utf8.first == UInt8(ascii: "[")
  }

  /// The key if the value stands in the domain's own dictionary; nil for a value deeper inside.
  var key: PropertyListKey? {
    guard path.steps.count == 1, case .key(let key) = path.steps[0] else { return nil }
    return key
  }

  /// The key of the domain's own dictionary in which the value stands; nil for the whole domain.
  var topKey: PropertyListKey? {
    guard case .key(let key)? = path.steps.first else { return nil }
    return key
  }

  /// A line that asks whether a path, or a key of a similar name, was meant that there is; nil for none.
  func hint(among entries: [PropertyListKey: PropertyList]) -> String? {
    guard let key else { return nil }
    if !KeyArgument.isPath(text), let path = try? PropertyListPath(".\(text)"),
      (try? PropertyList.dictionary(entries).value(at: path)) != nil
    {
      return "did you mean “\(path)”?"
    }
    return Suggestion.line(for: key.text, among: entries.keys.lazy.map(\.text))
  }

  /// The argument that means a path: a key of the domain's own dictionary as it stands, unless it would be taken
  /// for a path or for the flag of a type, or has a character that must be escaped, as in a path's quotes: `."a\U000ab"`.
  ///
  /// - Parameter isEscaped: Whether a character is escaped; true at least for NUL, which no argument can have.
  static func text(
    of path: PropertyListPath, escaping isEscaped: (Unicode.Scalar) -> Bool = { $0 == "\0" }
  ) -> String {
    guard path.steps.count == 1, case .key(let key) = path.steps[0], !isPath(key.text),
      !ValueArgument.isFlag(key.text), !key.text.unicodeScalars.contains(where: isEscaped)
    else { return path.text(escaping: isEscaped) }
    return key.text
  }

  /// A path in a message: long keys, and the middle of a long path, are cut.
  ///
  /// The text of a whole path may be as long as a file, and the file may have as many paths as bytes.
  static func shortText(of path: PropertyListPath) -> String {
    let steps = path.steps.map { step -> PropertyListPath.Step in
      guard case .key(let key) = step, key.text.utf8.count > maximumQuotedLength else { return step }
      return .key(PropertyListKey(String(key.text.unicodeScalars.prefix(maximumQuotedLength / 2)) + "…"))
    }
    guard steps.count > 2 * maximumEndCount else { return text(of: PropertyListPath(steps)) }
    let ends = [steps.prefix(maximumEndCount), steps.suffix(maximumEndCount)]
    return ends.map { PropertyListPath(Array($0)).description }.joined(separator: "…")
  }

  /// How many steps at its beginning and at its end a message shows of a long path.
  private static let maximumEndCount = 20

  /// The argument that means a key of the domain's own dictionary.
  static func text(of key: PropertyListKey) -> String {
    text(of: PropertyListPath([PropertyListPath.Step.key(key)]))
  }
}
