import OpenStepPropertyList

/// What a verb reads or changes: a domain of the database, or a property list's file.
protocol Subject {
  /// The name for messages.
  var name: String { get }
  /// The first column of lines about it; nil for a file, whose lines have none.
  var column: String? { get }
  /// Its property list, and how many bytes its file had when that was read; nil if there is none.
  func loaded() throws -> (value: PropertyList, byteCount: Int)?
  /// What octal escapes above `\177` mean in its text, and in a value that is typed for it.
  var octalEscapes: PropertyList.ParsingOptions.OctalEscapes { get }
  /// The error if there is none.
  var absence: CommandError { get }
  /// Whose words say that something is absent.
  var style: OutputStyle { get }
  /// Changes it as a whole, in one step in which no other process changes it.
  ///
  /// - Parameters:
  ///   - isRehearsal: Whether to change nothing, and only to find out what would be changed.
  ///   - change: Gives the new property list for the present one, nil for none; it may be called several times.
  /// - Returns: the property list before and after the change.
  @discardableResult
  func change(
    rehearsing isRehearsal: Bool, _ change: @escaping (PropertyList?) throws -> PropertyList?
  ) throws -> (old: PropertyList?, new: PropertyList?)
  /// Gives an entry another key, and keeps its place and the comments that belong to it.
  ///
  /// - Parameters:
  ///   - path: The path to the entry.
  ///   - key: The new key.
  ///   - replaces: Whether an entry with the new key is replaced.
  /// - Returns: the property list before and after the change.
  func rename(
    _ path: PropertyListPath, to key: PropertyListKey, replacing replaces: Bool, rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?)
  /// Reports which of the keys, or of all of its keys for nil, the administrator sets.
  func tellOfManagedKeys(_ keys: [PropertyListKey]?, in value: PropertyList) throws
}

extension DomainOperand {
  /// What the operand names.
  func subject(in context: CommandContext) throws -> any Subject {
    switch self {
    case .domain(let name): try DomainSubject(name, in: context)
    case .file(let path): FileSubject(path, in: context)
    }
  }
}

extension Subject {
  /// Its property list; nil if there is none.
  func load() throws -> PropertyList? { try loaded()?.value }

  /// Its property list, and how many bytes its file had when that was read.
  ///
  /// - Throws: ``absence`` if there is none.
  func existing() throws -> (value: PropertyList, byteCount: Int) {
    guard let loaded = try loaded() else { throw absence }
    return loaded
  }

  /// The value that an argument means, in a property list of this subject.
  ///
  /// - Throws: an error of the code `absent` if there is none.
  func value(of key: KeyArgument, in root: PropertyList) throws(CommandError) -> PropertyList {
    do throws(PropertyListPathError) {
      return try root.value(at: key.path)
    } catch {
      throw absence(of: key, in: root, error)
    }
  }

  /// The error for a key that is absent, with what may have been meant.
  func absence(
    of key: KeyArgument, in root: PropertyList, _ reason: PropertyListPathError
  ) -> CommandError {
    guard key.path.steps.count == 1, case .key(let name) = key.path.steps[0],
      case .dictionary(let entries) = root
    else { return CommandError(.absent, "\(name.onOneLine): \(reason)") }
    var error = CommandError(
      .absent,
      style == .macos
        ? "The domain/default pair of (\(self.name), \(name)) does not exist"
        : "there is no default “\(name)” in \(description)")
    error.hint = key.hint(among: entries)
    return error
  }

  /// What it is, with its article and its name.
  private var description: String { column == nil ? name : "the domain “\(name)”" }

  /// The property list after an entry got another key, where order does not count.
  func renamed(
    _ root: PropertyList, _ path: PropertyListPath, to key: PropertyListKey, replacing replaces: Bool
  ) throws(CommandError) -> PropertyList {
    let new = PropertyListPath(Array(path.steps.dropLast()) + [.key(key)])
    if new == path { return root }
    if (try? root.value(at: new)) != nil, !replaces {
      throw CommandError(
        .refused,
        "\(name.onOneLine): there is “\(key)” already; “-replace” takes its place; nothing was changed")
    }
    do {
      let value = try root.value(at: path)
      return try root.removed(at: path).changed(at: new) { _ in value }
    } catch let error as PropertyListPathError {
      throw CommandError(error.kind == .absent ? .absent : .refused, "\(name.onOneLine): \(error)")
    } catch {
      throw CommandError(error)
    }
  }
}
