import DefaultsDatabase
import OpenStepPropertyList

/// A file named on the command line, or the standard input for `-`.
struct SourceFile {
  /// How messages call it.
  let name: String
  private let bytes: [UInt8]

  /// Reads the file.
  ///
  /// - Throws: ``CommandError`` of the code `inputOutput`.
  init(_ path: String, in context: CommandContext) throws {
    name = SourceFile.displayName(path)
    if path == "-" {
      bytes = try context.readInput()
      return
    }
    do {
      bytes = try StandardStreams.readFile(path)
    } catch let StreamError.failed(reason) {
      throw CommandError(.inputOutput, "\(name): \(reason)")
    }
  }

  /// How messages call a file.
  static func displayName(_ path: String) -> String {
    path == "-" ? "standard input" : path.isEmpty ? "“”" : path
  }

  /// The file's property list: text of any dialect, XML or binary.
  ///
  /// - Throws: ``CommandError`` of the code `damaged`, with the source line where there is one.
  func value(
    eightBitEncoding: PropertyList.ParsingOptions.EightBitEncoding = .nextStep
  ) throws(CommandError) -> PropertyList {
    var options = PropertyList.ParsingOptions()
    options.eightBitEncoding = eightBitEncoding
    options.honoursTypeNotes = true
    do throws(FormatError) {
      return try DomainFileFormat.propertyList(from: bytes, textOptions: options).value
    } catch {
      // A place in the text stands right behind the name, as editors know it.
      let separator = (error.propertyListError?.line ?? 0) > 0 ? ":" : ": "
      throw CommandError(
        .damaged, "\(name)\(separator)\(error)", excerpt: error.propertyListError?.excerpt ?? "")
    }
  }
}
