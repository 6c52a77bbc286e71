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
      throw CommandError(
        .usage,
        "“\(text)” is no path to a value: \(error.column > 0 ? "at character \(error.column), " : "")\(error.message); "
          + "a key that begins so is written '.\"\(text)\"'")
    }
  }

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

  /// The argument that means a path: a key of the domain's own dictionary as it stands, unless it would be taken
  /// for a path or holds NUL, which no argument can.
  static func text(of path: PropertyListPath) -> String {
    guard path.steps.count == 1, case .key(let key) = path.steps[0], !isPath(key.text),
      !key.text.utf8.contains(0)
    else { return path.description }
    return key.text
  }

  /// The argument that means a key of the domain's own dictionary.
  static func text(of key: PropertyListKey) -> String {
    text(of: PropertyListPath([PropertyListPath.Step.key(key)]))
  }
}
