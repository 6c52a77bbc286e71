public import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
import OpenStepPropertyList

extension NSUserDefaultsAdditions {
  /// Registers the defaults in a file: `[d registerDefaults: [NSDictionary dictionaryWithContentsOfFile: path]]`.
  ///
  /// The file may have any format: text, XML or binary. Its dictionary is given to
  /// ``NSUserDefaults/registerDefaults(_:)``, also to a subclass's: the values become strings in OPENSTEP's
  /// class, and keep their types in GNUstep's. On GNUstep's database, escapes such as `\U001B` in XML stand for
  /// characters, as in GNUstep itself.
  ///
  /// - Parameter path: The file's path; a relative one begins in the working directory.
  /// - Throws: ``DatabaseError`` if the file cannot be read, is damaged, holds another value than a dictionary,
  ///   or nests more than 500 containers. Nothing is registered then. The original passes nil, which GNUstep
  ///   ignores, so that the program runs without its defaults.
  @_disfavoredOverload
  public func registerDefaults(contentsOfFile path: String) throws(DatabaseError) {
    let value = try PropertyListFile.value(
      at: path, undoesGNUstepEscapes: persistent.database?.dialect == .gnustep)
    guard case .dictionary(let entries) = value else {
      throw .another(value, than: "a dictionary", in: path)
    }
    guard value.extent.depth <= ObjectConversion.maximumDepth else {
      throw DatabaseError(
        .refused, path: path,
        message: "nests more than \(ObjectConversion.maximumDepth) arrays and dictionaries",
        advice: "nothing was registered")
    }
    registerDefaults(FoundationValues.dictionary(entries))
  }
}
