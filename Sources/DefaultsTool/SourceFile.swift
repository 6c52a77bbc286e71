import DefaultsDatabase
import DefaultsImport
import OpenStepPropertyList

/// A file named on the command line, or the standard input for `-`.
struct SourceFile {
  /// The file's name in messages.
  let name: String
  /// What it holds.
  let bytes: [UInt8]
  /// Whether it is a domain's, of which the name alone tells what octal escapes are.
  private let isDomains: Bool

  /// Reads the file; if another user can change where the path leads, the administrator reads with that
  /// user's rights.
  ///
  /// - Parameter isForGit: Whether git shows a difference: it has the other side as a file elsewhere, and both are read as what
  ///   they hold, also in the database's directory.
  /// - Throws: ``CommandError`` of the code `inputOutput`; `DatabaseError` if these rights cannot be
  ///   determined or taken.
  init(_ path: String, in context: CommandContext, isForGit: Bool = false) throws {
    name = SourceFile.displayName(path)
    guard path != "-" else {
      isDomains = false
      bytes = try context.readInput()
      return
    }
    isDomains = !isForGit && context.reading(ofFileAt: path) == .name
    do {
      bytes = try FileRights.reaching(path) {
        Result { try StandardStreams.readFile(path, takingPipes: !context.readsOnlyFiles) }
      }
      .get()
    } catch let StreamError.failed(reason) {
      throw CommandError(.inputOutput, "\(name): \(reason)")
    }
  }

  /// Takes bytes that were read from a domain's file.
  init(domainsFileAt path: String, bytes: [UInt8]) {
    (name, self.bytes, isDomains) = (path, bytes, true)
  }

  /// The name of a file in messages.
  static func displayName(_ path: String) -> String {
    path == "-" ? "standard input" : path.isEmpty ? "“”" : path
  }

  /// As what a file is read.
  enum Reading {
    /// As what its contents and its name tell; in the database's directory, its name.
    case recognised
    /// As what its contents tell, and a text as OPENSTEP's, whatever its keys are.
    case openStep
    /// As JSON, whatever the file contains.
    case json
    /// As JSON in which every value names its type.
    case tagged
    /// As Window Maker's text, with UTF-8 in octal escapes.
    case windowMaker
  }

  /// The file's property list: text of any dialect, XML or binary, or JSON.
  ///
  /// - Throws: ``CommandError`` of the code `damaged`, with the source line if there is one.
  func value(
    eightBitEncoding: PropertyList.ParsingOptions.EightBitEncoding, as reading: Reading
  ) throws(CommandError) -> PropertyList {
    if reading == .tagged {
      do throws(FormatError) {
        return try TaggedJSON.value(from: bytes)
      } catch {
        throw damage(error)
      }
    }
    let isOpen = reading == .recognised || reading == .openStep
    if reading == .json || isOpen && PropertyList.isJSON(bytes) {
      do throws(PropertyListError) {
        return try PropertyList(parsingJSON: bytes)
      } catch {
        throw damage(FormatError(error, in: bytes))
      }
    }
    var options = PropertyList.ParsingOptions()
    options.eightBitEncoding = eightBitEncoding
    options.honoursTypeNotes = true
    options.refusesOpenComment = true
    do throws(FormatError) {
      if reading == .windowMaker {
        options.octalEscapes = .utf8Bytes
        return try OpenStepFormat.propertyList(from: bytes, options: options)
      }
      if reading == .openStep {
        return try DomainFileFormat.propertyList(from: bytes, textOptions: options).value
      }
      guard isDomains else { return try DomainFileFormat.recognised(from: bytes, at: name, &options).value }
      options.octalEscapes = PropertyListFile.defaultOptions(forFileAt: name).octalEscapes
      return try DomainFileFormat.propertyList(from: bytes, textOptions: options).value
    } catch {
      throw damage(error)
    }
  }

  /// How the file's text is read.
  ///
  /// - Parameter value: What it holds.
  func options(
    of value: PropertyList, eightBitEncoding: PropertyList.ParsingOptions.EightBitEncoding,
    as reading: Reading
  ) -> PropertyList.ParsingOptions {
    var options = PropertyListFile.defaultOptions(forFileAt: name)
    options.eightBitEncoding = eightBitEncoding
    if isDomains, reading == .recognised { return options }
    options.octalEscapes = .nextStep
    let isText = DomainFileFormat(recognising: bytes) == .openStep
    let isRecognised =
      isText && reading == .recognised && WindowMakerContents.areIn(value, of: bytes, options, ofFileAt: name)
    if reading == .windowMaker || isRecognised { options.octalEscapes = .utf8Bytes }
    return options
  }

  /// The file's property list as its contents and its name tell, for a command that takes no kind of file.
  ///
  /// - Throws: ``CommandError`` of the code `damaged`, with the source line if there is one.
  func recognisedValue(_ output: CommandOutput, as reading: Reading = .recognised) throws -> PropertyList {
    let value = try value(eightBitEncoding: .nextStep, as: reading)
    try tellIfTagged(value, advising: "defaults convert -from tagged", output)
    return value
  }

  /// Tells that a file was read as plain JSON, although it may have been meant as tagged.
  ///
  /// - Parameter way: The option or command by which it is read as tagged.
  func tellIfTagged(_ value: PropertyList, advising way: String, _ output: CommandOutput) throws {
    guard PropertyList.isJSON(bytes), TaggedJSON.isTagged(value) else { return }
    try output.report(CommandError(.done, "\(name): \(TaggedJSON.remark(advising: way))"))
  }

  /// Refuses a valid text in which a key stands twice in one dictionary, of whose values only the last counts; in other formats
  /// that is no valid file.
  func refuseEqualKeys() throws {
    guard DomainFileFormat(recognising: bytes) == .openStep, !PropertyList.isJSON(bytes),
      let warning = try warnings().first(where: { $0.kind == .equalKeys })
    else { return }
    throw CommandError(.usage, "\(name):\(warning); nothing was applied: remove one of the two")
  }

  /// The warnings about a valid file, where its author probably meant something else; a text without a token
  /// is not valid.
  ///
  /// - Throws: ``CommandError`` of the code `damaged`, with the source line if there is one.
  func warnings() throws(CommandError) -> [PropertyListWarning] {
    do throws(FormatError) {
      switch DomainFileFormat(recognising: bytes) {
      case .openStep, .gnustep:
        return try OpenStepFormat.warnings(from: bytes, ofFileNamed: PathNames.last(in: name))
      case .binary: return try BinaryFormat.warnings(from: bytes)
      case .xml:
        _ = try DomainFileFormat.propertyList(from: bytes)
        return []
      }
    } catch {
      let isJSON = !error.isMergeConflict && PropertyList.isJSON(bytes)
      throw damage(
        error,
        isJSON ? "; it begins as JSON, which “convert” and “import” read, and which no domain's file is" : "")
    }
  }

  private func damage(_ error: FormatError, _ remark: String = "") -> CommandError {
    if let sentence = NeXTDatabase.description(ofFileAt: name) {
      return CommandError(.damaged, "\(name): \(sentence)")
    }
    // A position in a text follows the name directly, in the form that editors recognise.
    let separator = (error.propertyListError?.line ?? 0) > 0 ? ":" : ": "
    let advice = error.isMergeConflict ? "; \(FormatError.conflictAdvice)" : ""
    return CommandError(
      .damaged, "\(name)\(separator)\(error)\(advice)\(remark)",
      excerpt: error.propertyListError?.excerpt ?? "")
  }
}
