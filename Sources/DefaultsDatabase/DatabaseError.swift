public import OpenStepPropertyList

/// Why a defaults database could not be read or written, where, and what became of the file.
public struct DatabaseError: Error, Hashable, Sendable {
  /// The kinds of trouble that a caller may want to tell apart.
  public enum Kind: Hashable, Sendable {
    /// A domain's name cannot be the name of a file.
    case refusedName
    /// Something was asked for that must not be done.
    case refused
    /// A value was stored, but another, which comes before it, hides it.
    case hidden
    /// A domain's file is no property list, or no dictionary.
    case damaged
    /// Another process holds the database's lock; its identifier, where known.
    case locked(holder: Int32?)
    /// The operating system refused an operation; its error number.
    case inputOutput(code: Int32)
  }

  /// What kind of trouble this is.
  public let kind: Kind
  /// The file or directory that it is about; the domain's name where that was refused.
  public let path: String
  /// What is wrong, as a clause.
  public let message: String
  /// What was kept, and what to do next; may be empty.
  public let advice: String
  /// Where in a damaged text the trouble lies, and around it the source line.
  public let propertyListError: PropertyListError?

  package init(
    _ kind: Kind, path: String, message: String, advice: String = "",
    propertyListError: PropertyListError? = nil
  ) {
    self.kind = kind
    self.path = path
    self.message = message
    self.advice = advice
    self.propertyListError = propertyListError
  }
}

extension DatabaseError {
  /// Whether it tells that a file is larger than any that is read, or written.
  package var isTooLarge: Bool { kind == .inputOutput(code: SystemError.tooLarge.code) }
}

extension DatabaseError: CustomStringConvertible {
  /// One line: what is wrong, where, what was kept and what to do next.
  ///
  /// Damage in a text reads `PATH:LINE:COLUMN: …`, in the form that editors jump to.
  public var description: String {
    var place = path
    if let error = propertyListError, error.line > 0 { place += ":\(error.line):\(error.column)" }
    // In a binary file the place is an object and a byte.
    let reason = propertyListError.map { $0.line > 0 ? message : $0.description } ?? message
    let text = "\(place): \(reason)" + (advice.isEmpty ? "" : "; \(advice)")
    return DatabaseError.oneLine(text)
  }

  /// Escapes control characters and line separators, which a path may hold.
  package static func oneLine(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        line += scalar.escaped(asASCII: true)
      default:
        line.unicodeScalars.append(scalar)
      }
    }
    return line
  }
}

// MARK: - Making errors

extension DatabaseError {
  /// An error of the operating system: `cannot be read: Permission denied`.
  package static func inputOutput(
    _ error: SystemError, path: String, _ what: String, advice: String = ""
  ) -> DatabaseError {
    DatabaseError(
      .inputOutput(code: error.code), path: path, message: "\(what): \(error)",
      advice: advice.isEmpty ? error.advice : error.advice.isEmpty ? advice : "\(advice); \(error.advice)")
  }

  /// A file that is no property list, or no dictionary.
  package static func damaged(path: String, _ error: FormatError) -> DatabaseError {
    DatabaseError(
      .damaged, path: path, message: error.message,
      advice: "its bytes are unchanged: repair the file, or move it away",
      propertyListError: error.propertyListError)
  }

  /// The same damage, after the file was moved aside.
  package func movedAside(to newPath: String) -> DatabaseError {
    with(advice: "the damaged file was kept as \(newPath)")
  }

  /// The same trouble, with other advice.
  package func with(advice: String) -> DatabaseError {
    DatabaseError(kind, path: path, message: message, advice: advice, propertyListError: propertyListError)
  }
}
