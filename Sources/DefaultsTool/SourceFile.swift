import DefaultsDatabase
import OpenStepPropertyList

/// A file named on the command line, or the standard input for `-`.
struct SourceFile {
  /// How messages call it.
  let name: String
  private let bytes: [UInt8]

  /// Reads the file; the administrator reads what another user can lead elsewhere with that user's rights.
  ///
  /// - Throws: ``CommandError`` of the code `inputOutput`.
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

  /// How messages call a file.
  static func displayName(_ path: String) -> String {
    path == "-" ? "standard input" : path.isEmpty ? "“”" : path
  }

  /// When a file is taken for JSON.
  enum JSONUse {
    /// Where it begins as JSON does and no property list's text can.
    case recognised
    /// Whatever it begins with.
    case always
  }

  /// The file's property list: text of any dialect, XML or binary, or JSON.
  ///
  /// - Throws: ``CommandError`` of the code `damaged`, with the source line where there is one.
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

  /// What in a good file its author probably meant otherwise; a text without a token is no good file.
  ///
  /// - Throws: ``CommandError`` of the code `damaged`, with the source line where there is one.
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
    // A place in the text stands right behind the name, as editors know it.
    let separator = (error.propertyListError?.line ?? 0) > 0 ? ":" : ": "
    return CommandError(
      .damaged, "\(name)\(separator)\(error)",
      excerpt: error.propertyListError?.excerpt ?? "")
  }
}
