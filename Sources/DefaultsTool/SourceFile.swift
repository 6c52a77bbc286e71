import DefaultsDatabase
import OpenStepPropertyList

/// A file named on the command line, or the standard input for `-`.
struct SourceFile {
  /// The file's name in messages.
  let name: String
  private let bytes: [UInt8]

  /// Reads the file; if another user can change where the path leads, the administrator reads with that
  /// user's rights.
  ///
  /// - Throws: ``CommandError`` of the code `inputOutput`; `DatabaseError` if these rights cannot be
  ///   determined or taken.
  init(_ path: String, in context: CommandContext) throws {
    name = SourceFile.displayName(path)
    if path == "-" {
      bytes = try context.readInput()
      return
    }
    do {
      bytes = try FileRights.reaching(path) { Result { try StandardStreams.readFile(path) } }.get()
    } catch let StreamError.failed(reason) {
      throw CommandError(.inputOutput, "\(name): \(reason)")
    }
  }

  /// The name of a file in messages.
  static func displayName(_ path: String) -> String {
    path == "-" ? "standard input" : path.isEmpty ? "“”" : path
  }

  /// When a file is read as JSON.
  enum JSONUse {
    /// If it begins like JSON, and cannot be a property list's text.
    case recognised
    /// Always, whatever the file contains.
    case always
  }

  /// The file's property list: text of any dialect, XML or binary, or JSON.
  ///
  /// - Throws: ``CommandError`` of the code `damaged`, with the source line if there is one.
  func value(
    eightBitEncoding: PropertyList.ParsingOptions.EightBitEncoding, json: JSONUse
  ) throws(CommandError) -> PropertyList {
    if json == .always || PropertyList.isJSON(bytes) {
      do throws(PropertyListError) {
        return try PropertyList(parsingJSON: bytes)
      } catch {
        throw damage(FormatError(error))
      }
    }
    var options = PropertyList.ParsingOptions()
    options.eightBitEncoding = eightBitEncoding
    options.honoursTypeNotes = true
    do throws(FormatError) {
      return try DomainFileFormat.propertyList(from: bytes, textOptions: options).value
    } catch {
      throw damage(error)
    }
  }

  /// The warnings about a valid file, where its author probably meant something else; a text without a token
  /// is not valid.
  ///
  /// - Throws: ``CommandError`` of the code `damaged`, with the source line if there is one.
  func warnings() throws(CommandError) -> [PropertyListWarning] {
    do throws(FormatError) {
      switch DomainFileFormat(recognising: bytes) {
      case .openStep, .gnustep: return try OpenStepFormat.warnings(from: bytes)
      case .binary: return try BinaryFormat.warnings(from: bytes)
      case .xml:
        _ = try DomainFileFormat.propertyList(from: bytes)
        return []
      }
    } catch {
      throw damage(error)
    }
  }

  private func damage(_ error: FormatError) -> CommandError {
    // A position in a text follows the name directly, in the form that editors recognise.
    let separator = (error.propertyListError?.line ?? 0) > 0 ? ":" : ": "
    return CommandError(
      .damaged, "\(name)\(separator)\(error)",
      excerpt: error.propertyListError?.excerpt ?? "")
  }
}
