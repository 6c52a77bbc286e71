import DefaultsDatabase
import DefaultsImport
import OpenStepPropertyList

extension DomainFileFormat {
  /// Reads a property list of any format; a text as Window Maker's if its contents or the file's name tell that it is.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - options: How a text is read; says at the end how it was.
  static func recognised(
    from bytes: [UInt8], at path: String, _ options: inout PropertyList.ParsingOptions
  ) throws(FormatError) -> (value: PropertyList, format: DomainFileFormat) {
    let (value, format) = try propertyList(from: bytes, textOptions: options)
    guard format == .openStep, options.octalEscapes != .utf8Bytes,
      WindowMakerContents.areIn(value, of: bytes, options, ofFileAt: path)
    else { return (value, format) }
    options.octalEscapes = .utf8Bytes
    return (try OpenStepFormat.propertyList(from: bytes, options: options), format)
  }
}
