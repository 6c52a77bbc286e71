public import OpenStepPropertyList

/// The reason why a defaults database, or a property list's file, could not be read or written, with the path
/// and the state of the file.
public struct DatabaseError: Error, Hashable, Sendable {
  /// The kinds of errors that a caller may want to distinguish.
  public enum Kind: Hashable, Sendable {
    /// A domain's name cannot be the name of a file.
    case refusedName
    /// The request is not allowed.
    case refused
    /// A value was stored, but lookups find another value in a domain before it.
    case hidden
    /// A domain's file is not a property list, or not a dictionary; or another file is not the kind of value
    /// that was asked for.
    case damaged
    /// Another process, or another thread of this one, holds the database's lock; the process's identifier, if
    /// it is known.
    case locked(holder: Int32?)
    /// The operating system refused an operation; its error number.
    case inputOutput(code: Int32)
  }

  /// The kind of error.
  public let kind: Kind
  /// The path of the file or directory; the domain's name if that was refused.
  public let path: String
  /// What is wrong, as a clause.
  public let message: String
  /// What was kept, and what to do next; may be empty.
  public let advice: String
  /// The position of the error in a damaged text, with the source line.
  public let propertyListError: PropertyListError?
  /// Whether a damaged text has git's marks of a merge, which nothing but a person's choice can repair.
  package let isMergeConflict: Bool

  package init(
    _ kind: Kind, path: String, message: String, advice: String = "",
    propertyListError: PropertyListError? = nil, isMergeConflict: Bool = false
  ) {
    self.isMergeConflict = isMergeConflict
    self.kind = kind
    self.path = path
    self.message = message
    self.advice = advice
    self.propertyListError = propertyListError
  }
}

extension DatabaseError {
  /// Whether the error is that a file exceeds the maximum size for reading or writing.
  package var isTooLarge: Bool { kind == .inputOutput(code: SystemError.tooLarge.code) }
}

extension DatabaseError {
  /// What the advice says besides that nothing was changed; for a message that tells the outcome itself.
  package var remedy: String {
    for outcome in ["nothing was changed", "the changes were not saved"] where advice.hasBytePrefix(outcome) {
      let rest = String(Substring(advice.utf8.dropFirst(outcome.utf8.count)))
      return rest.hasBytePrefix("; ") ? String(Substring(rest.utf8.dropFirst(2))) : ""
    }
    return advice
  }

  /// The same error where other domains may be changed: that nothing was changed is said of this domain alone, whose name
  /// the path of the lock or of the directory does not tell.
  package func ofOneDomain(_ domain: DomainName) -> DatabaseError {
    for (general, particular) in [
      ("nothing was changed", "“\(domain)” was not changed"),
      ("the changes were not saved", "the changes of “\(domain)” were not saved"),
    ] where advice.hasBytePrefix(general) {
      return with(advice: particular + String(Substring(advice.utf8.dropFirst(general.utf8.count))))
    }
    return self
  }
}

extension DatabaseError: CustomStringConvertible {
  /// One line: the path, what is wrong, what was kept and what to do next.
  ///
  /// An error in a text begins with `PATH:LINE:COLUMN: `, which editors recognise.
  public var description: String {
    var place = path
    if let error = propertyListError, error.line > 0 { place += ":\(error.line):\(error.column)" }
    // The position in a binary file is an object and a byte.
    let reason = propertyListError.map { $0.line > 0 ? message : $0.description } ?? message
    let text = "\(place): \(reason)" + (advice.isEmpty ? "" : "; \(advice)")
    return DatabaseError.oneLine(text)
  }

  /// Escapes control characters and line separators, which a path may contain.
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

extension DatabaseError {
  /// Whether the same call may succeed a moment later, though nobody changes a file.
  package var isPassing: Bool {
    if case .inputOutput(let code) = kind { SystemError(code: code).isPassing } else { false }
  }
}

// MARK: - Making errors

extension DatabaseError {
  /// Makes an error of the operating system: `cannot be read: Permission denied`.
  package static func inputOutput(
    _ error: SystemError, path: String, _ what: String, advice: String = ""
  ) -> DatabaseError {
    DatabaseError(
      .inputOutput(code: error.code), path: path, message: "\(what): \(error)",
      advice: advice.isEmpty ? error.advice : error.advice.isEmpty ? advice : "\(advice); \(error.advice)")
  }

  /// Makes an error for a file that is not a property list, or not a dictionary.
  package static func damaged(path: String, _ error: FormatError) -> DatabaseError {
    let advice = error.isMergeConflict ? FormatError.conflictAdvice : "repair the file, or move it away"
    return DatabaseError(
      .damaged, path: path, message: error.message, advice: "its bytes are unchanged: \(advice)",
      propertyListError: error.propertyListError, isMergeConflict: error.isMergeConflict)
  }

  /// Makes an error for a file that a program changes, again and again, while it is read and written.
  package static func changedMeanwhile(_ path: String) -> DatabaseError {
    DatabaseError(
      .refused, path: path, message: "was changed by another program while it was being saved",
      advice: "that program's change stands, and nothing else was changed: try again")
  }

  /// The same error, after the file was moved aside.
  package func movedAside(to newPath: String) -> DatabaseError {
    with(advice: "the \(kind == .damaged ? "damaged" : "old") file was kept as \(newPath)")
  }

  /// The same error with other advice.
  package func with(advice: String) -> DatabaseError {
    DatabaseError(
      kind, path: path, message: message, advice: advice, propertyListError: propertyListError,
      isMergeConflict: isMergeConflict)
  }
}
