import DefaultsDatabase
import DefaultsImport
import OpenStepPropertyList

/// A domain's file, or another property list's, of which a person edits the text.
struct EditedFile {
  /// The domain's name, or the path.
  let name: String
  let path: String
  /// Gives the file's bytes; nil if there is none.
  let bytes: () throws -> [UInt8]?
  /// Replaces the file by what a closure makes of its bytes, in one step in which no other process changes it.
  let replace:
    (_ onDamage: DamagePolicy, _ make: @escaping ([UInt8]?) throws -> ReplacedFile) throws -> String?
  /// Whether it can be replaced; true also where only trying tells.
  private let isChangeable: () throws -> Bool
  /// Tells which of the values the administrator sets, so that a change of them will be refused.
  private let tellOfManagedKeys: (PropertyList) throws -> Void
  private let dialect: DatabaseDialect
  private let isDomain: Bool
  /// What tells, besides its name, how a text is read.
  private let reading: TextFile.Reading
  /// How a text is read: without a token it is an empty dictionary, but no domain.
  private let options: PropertyList.ParsingOptions

  init(_ operand: DomainOperand, in context: CommandContext) throws {
    var options: PropertyList.ParsingOptions
    switch operand {
    case .domain(let domain):
      let database = try context.openDatabase()
      let managed = try context.managedKeys()
      try database.refuseUnread(domain)
      let path = database.path(of: domain)
      (name, self.path, dialect, isDomain) = (domain.text, path, database.dialect, true)
      reading = .name
      options = PropertyListFile.defaultOptions(forFileAt: path)
      options.form = .domainFile
      bytes = { try database.contents(of: domain).bytes }
      isChangeable = {
        let isThere = try database.status(at: database.directory, followingLinks: true) != nil
        return try !isThere || database.isWritable()
      }
      tellOfManagedKeys = { value in
        if case .dictionary(let entries) = value { try managed.tell(of: entries.keys, in: domain) }
      }
      replace = { onDamage, make in
        try database.replaceFile(of: domain, managed, rehearsing: false, onDamage: onDamage) { bytes, _ in
          try make(bytes)
        }.movedAside
      }
    case .file(let word):
      // Another edit of the file may be begun in another directory.
      let path = try DatabaseLocation.absolute(FileSubject(word, in: context).path)
      (name, self.path, dialect, isDomain) = (word, path, .openStep, false)
      let reading = context.reading(ofFileAt: path)
      self.reading = reading
      options = PropertyListFile.defaultOptions(forFileAt: path)
      options.refusesOpenComment = true
      bytes = { try PropertyListFile.bytes(at: path) }
      isChangeable = { try PropertyListFile.isChangeable(path, fileSystem: context.fileSystem) }
      tellOfManagedKeys = { _ in }
      replace = { _, make in
        try PropertyListFile.change(path) { bytes in
          switch try make(bytes) {
          case .keep: return .keep
          case .bytes(let bytes), .formerBytes(let bytes): return .bytes(bytes)
          case .none: return .none
          case .value(let value):
            guard let bytes else {
              return .bytes(try value.bytes(style: .openStep, within: FileSize.maximum))
            }
            return .bytes(try TextFile(bytes, at: path, reading).bytes(changedTo: value))
          }
        }
        return nil
      }
    }
    self.options = options
  }

  // MARK: - The text

  /// The text that a person edits: the file's own, also of damaged XML, or else that of the values of an XML or binary
  /// file.
  ///
  /// - Throws: an error for damaged binary files, and for what could not be written back.
  func text(of bytes: [UInt8]?) throws -> [UInt8] {
    guard let bytes else { return Array("{\n}\n".utf8) }
    guard !PropertyList.isJSON(bytes) else {
      throw CommandError(.refused, "\(path): is JSON, which is read and not changed; it was left as it is")
    }
    guard !isEditedAsItStands(bytes) else { return bytes }
    // Refuses now what would be refused after the work was done.
    if !isDomain { _ = try TextFile(bytes, at: path, reading).bytes(changedTo: .dictionary([:])) }
    do throws(FormatError) {
      return try OpenStepFormat.bytes(of: try value(of: bytes), within: FileSize.maximum)
    } catch  where error.isTooLong {
      throw CommandError(
        .refused,
        "\(path): its values take more than \(FileSize.maximum) bytes as text, and no larger one is read; "
          + "no editor was started, and nothing was changed")
    } catch {
      throw DatabaseError.damaged(path: path, error)
    }
  }

  /// Refuses now what would be refused after the work was done, and tells what would be in part.
  func checkChangeable(_ bytes: [UInt8]?) throws {
    guard try isChangeable() else {
      throw CommandError(
        .inputOutput,
        "\(path): cannot be saved, since its directory cannot be written; no editor was started, and nothing was changed"
      )
    }
    if let value = try? value(of: bytes) { try tellOfManagedKeys(value) }
  }

  /// Whether a file's own bytes are edited: a text, or XML of which the values cannot be read.
  private func isEditedAsItStands(_ bytes: [UInt8]?) -> Bool {
    guard let bytes, DomainFileFormat(recognising: bytes) == .xml else { return isText(bytes) }
    return (try? value(of: bytes)) == nil
  }

  /// Whether a file is a text.
  func isText(_ bytes: [UInt8]?) -> Bool {
    bytes.map { DomainFileFormat(recognising: $0) == .openStep } ?? true
  }

  /// What the file's bytes hold; an empty dictionary for none.
  func value(of bytes: [UInt8]?) throws(FormatError) -> PropertyList { try value(of: bytes, options) }

  private func value(
    of bytes: [UInt8]?, _ options: PropertyList.ParsingOptions
  ) throws(FormatError) -> PropertyList {
    guard let bytes else { return [:] }
    return try DomainFileFormat.propertyList(
      from: bytes, textOptions: options, undoesGNUstepEscapes: dialect == .gnustep
    ).value
  }

  /// What the bytes of the file at several times hold, all of them read alike.
  func values(
    of sides: [[UInt8]?], _ reading: TextFile.Reading
  ) throws(FormatError) -> (values: [PropertyList], options: PropertyList.ParsingOptions) {
    var options = options
    options.octalEscapes = reading.octalEscapes ?? options.octalEscapes
    return (try sides.map { (bytes) throws(FormatError) in try value(of: bytes, options) }, options)
  }

  /// How the bytes of the file at several times, the earliest first, are read alike: of a file outside of the database's
  /// directory, one of them can tell by its contents that it is Window Maker's.
  func reading(of sides: [[UInt8]?]) -> TextFile.Reading {
    reading == .name
      ? .name : TextFile.Reading(of: sides.map { $0.flatMap { try? TextFile($0, at: path, reading) } })
  }

  /// Refuses an edited text that looks like Window Maker's no longer, or only now, if octal escapes that were there before would
  /// be other characters then.
  ///
  /// - Parameter textPath: The path of the text, for the error.
  func checkEscapes(of text: [UInt8], over former: [UInt8]?, at textPath: String) throws {
    guard reading != .name, isText(text), let former, isText(former),
      PropertyList.hasOctalEscapes(inText: former),
      let old = try? TextFile(former, at: path, reading), let new = try? TextFile(text, at: path, reading)
    else { return }
    let (before, now) = (old.options.octalEscapes, new.options.octalEscapes)
    let reason = now == .utf8Bytes ? "now looks like Window Maker's" : "no longer looks like Window Maker's"
    guard before != now,
      let error = PropertyList.errorAtOctalEscape(
        inText: text,
        "the text \(reason), so that this octal escape would be another character: write the character itself"
      )
    else { return }
    throw EditMistake(
      CommandError(.refused, "\(textPath):\(error)", excerpt: error.excerpt), line: error.line)
  }

  /// What an edited text holds.
  ///
  /// - Parameter textPath: The path of the text, for the error.
  /// - Throws: an error with the place for a text that the file cannot be.
  func value(ofText text: [UInt8], at textPath: String) throws -> PropertyList {
    let value: PropertyList
    do throws(FormatError) {
      value = try self.value(of: text)
    } catch {
      let line = error.propertyListError.flatMap { $0.line > 0 ? $0.line : nil }
      throw EditMistake(
        CommandError(
          .damaged, "\(textPath)\(line == nil ? ": " : ":")\(error)",
          excerpt: error.propertyListError?.excerpt ?? ""), line: line)
    }
    guard value.isContainer, !isDomain || value.isDictionary else {
      throw EditMistake(
        CommandError(.damaged, "\(textPath):1:1: holds another value where a dictionary was expected"),
        line: 1)
    }
    if isWindowMakers, let warning = try PropertyList.windowMakerWarnings(text).first {
      throw EditMistake(CommandError(.refused, "\(textPath):\(warning)"), line: warning.line)
    }
    return value
  }

  /// What is written for an edited text: its bytes as they are, unless the file has another format. In GNUstep's directories
  /// notes of types become GNUstep's typed values.
  ///
  /// - Parameter textPath: The path of the text, for the error.
  /// - Throws: an error for a text with comments that would not stay what they are.
  func contents(
    for text: [UInt8], _ value: PropertyList, over bytes: [UInt8]?, at textPath: String
  ) throws -> ReplacedFile {
    guard isEditedAsItStands(bytes) else { return .value(value) }
    guard isDomain, dialect == .gnustep, isText(text) else { return .bytes(text) }
    let hasComments = [text, bytes ?? []].contains(where: PropertyList.hasComments)
    // GNUstep makes its own files as XML, and takes notes of types for comments.
    if bytes == nil, !hasComments { return .value(value) }
    var reason = "a value of it has no spelling in GNUstep's text"
    do throws(PropertyListError) {
      if let spelled = try PropertyList.spellingNotesAsGNUstep(inText: text, options: options) {
        if spelled == text || PropertyList.isReadByGNUstep(text: spelled) { return .bytes(spelled) }
        reason =
          "GNUstep reads values with types only in a text of UTF-8 with braces around it, with a value behind each key, "
          + "and without single quotes, octal escapes above \\177, half surrogate pairs, U+2028, U+2029, and comments "
          + "that end at a CR"
      }
    } catch {
      reason = error.message
    }
    // As a value, half a pair would be U+FFFD.
    let isLost = PropertyList.losesCharacters(text, options: options)
    guard hasComments || isLost else { return .value(value) }
    let loss = isLost ? "one of its characters" : "the comments"
    throw EditMistake(
      CommandError(.refused, "\(textPath): \(reason); with the values alone \(loss) would be lost"))
  }

  /// What a file of GNUstep's holds of an edited text's values; nil for other files.
  func heldByGNUstep(_ value: PropertyList, over former: [UInt8]?) -> HeldValue? {
    guard isDomain, dialect == .gnustep, former.map(PropertyList.isBinary) != true else { return nil }
    return try? HeldValue(value, over: try? self.value(of: former), in: .noFloats)
  }

  private var isWindowMakers: Bool { OpenStepFormat.isWindowMakerFile(PathNames.last(in: path)) }
}

/// Something in an edited text that keeps it from being written.
struct EditMistake: Error {
  let error: CommandError
  /// The line of the text, for the editor's cursor.
  let line: Int?
  /// Where others have changed the same places: what can be written instead; nil for nothing.
  let sides: Sides?

  /// The edited text with the others' other changes, and in the places that both have changed the values of one side.
  typealias Sides = (mine: [UInt8], theirs: [UInt8])

  init(_ error: CommandError, line: Int? = nil, sides: Sides? = nil) {
    (self.error, self.line, self.sides) = (error, line, sides)
  }
}

extension PropertyList {
  fileprivate var isDictionary: Bool {
    if case .dictionary = self { true } else { false }
  }

  fileprivate var isContainer: Bool {
    if case .array = self { true } else { isDictionary }
  }
}
