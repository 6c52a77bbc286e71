public import DefaultsDatabase
public import OpenStepPropertyList

// What OPENSTEP's NSDictionary and NSArray do with files: `dictionaryWithContentsOfFile:`,
// `arrayWithContentsOfFile:` and `writeToFile:atomically:`.

extension Dictionary where Key == String, Value == Any {
  /// Reads a dictionary from a file in any format, like `[NSDictionary dictionaryWithContentsOfFile: path]`.
  ///
  /// - Parameters:
  ///   - path: The file's path, as for ``OpenStepPropertyList/PropertyList/init(contentsOfFile:options:undoesGNUstepEscapes:)``.
  ///   - model: Whether numbers, truth values and dates are shown as strings. By default they are not; a text
  ///     of OPENSTEP's has only strings anyway.
  ///   - undoesGNUstepEscapes: Whether `\U001B` in XML stands for a character, as in GNUstep's own files.
  /// - Throws: ``DatabaseError`` if the file cannot be read, is damaged, or holds another value than a
  ///   dictionary. OPENSTEP and GNUstep give nil.
  public init(
    contentsOfFile path: String, model: PropertyList.ValueModel = .typed, undoesGNUstepEscapes: Bool = false
  ) throws(DatabaseError) {
    let value = try PropertyListFile.value(at: path, undoesGNUstepEscapes: undoesGNUstepEscapes)
    guard let dictionary = value.object(model: model) as? [String: Any] else {
      throw .another(value, than: "a dictionary", in: path)
    }
    self = dictionary
  }

  /// Writes the dictionary to a file, like `[dictionary writeToFile: path atomically: YES]`.
  ///
  /// - Parameters:
  ///   - path: The file's path, as for ``OpenStepPropertyList/PropertyList/write(toFile:format:)``.
  ///   - atomically: Has no effect: the file is replaced as a whole in either case. In the original, NO saves
  ///     time and risks half a file.
  ///   - format: The format; by default OPENSTEP's text in UTF-8, with notes after typed values.
  /// - Throws: ``InvalidArgumentError`` if a value is no property list, and ``DatabaseError`` if the format
  ///   cannot hold a value or the file cannot be written. OPENSTEP and GNUstep return NO.
  public func write(
    toFile path: String, atomically: Bool, format: PropertyList.FileFormat = .text(.openStep)
  ) throws {
    try PropertyList(object: self).write(toFile: path, format: format)
  }
}

extension Array where Element == Any {
  /// Reads an array from a file in any format, like `[NSArray arrayWithContentsOfFile: path]`.
  ///
  /// - Parameters:
  ///   - path: The file's path, as for ``OpenStepPropertyList/PropertyList/init(contentsOfFile:options:undoesGNUstepEscapes:)``.
  ///   - model: Whether numbers, truth values and dates are shown as strings; by default they are not.
  ///   - undoesGNUstepEscapes: Whether `\U001B` in XML stands for a character, as in GNUstep's own files.
  /// - Throws: ``DatabaseError`` if the file cannot be read, is damaged, or holds another value than an array.
  public init(
    contentsOfFile path: String, model: PropertyList.ValueModel = .typed, undoesGNUstepEscapes: Bool = false
  ) throws(DatabaseError) {
    let value = try PropertyListFile.value(at: path, undoesGNUstepEscapes: undoesGNUstepEscapes)
    guard let array = value.object(model: model) as? [Any] else {
      throw .another(value, than: "an array", in: path)
    }
    self = array
  }

  /// Writes the array to a file, like `[array writeToFile: path atomically: YES]`.
  ///
  /// - Parameters:
  ///   - path: The file's path, as for ``OpenStepPropertyList/PropertyList/write(toFile:format:)``.
  ///   - atomically: Has no effect: the file is replaced as a whole in either case.
  ///   - format: The format; by default OPENSTEP's text in UTF-8, with notes after typed values.
  /// - Throws: ``InvalidArgumentError`` if a value is no property list, and ``DatabaseError`` if the format
  ///   cannot hold a value or the file cannot be written.
  public func write(
    toFile path: String, atomically: Bool, format: PropertyList.FileFormat = .text(.openStep)
  ) throws {
    try PropertyList(object: self).write(toFile: path, format: format)
  }
}

extension DatabaseError {
  /// Makes an error for a file that holds another kind of value than the caller wants.
  static func another(_ value: PropertyList, than wanted: String, in path: String) -> DatabaseError {
    let kind =
      switch value {
      case .string: "a string"
      case .data: "data"
      case .array: "an array"
      case .dictionary: "a dictionary"
      case .integer, .real, .float: "a number"
      case .boolean: "a truth value"
      case .date: "a date"
      }
    return DatabaseError(.damaged, path: path, message: "holds \(kind) where \(wanted) was expected")
  }
}
