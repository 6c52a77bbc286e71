import DefaultsDatabase
import DefaultsImport
import OpenStepPropertyList

extension CommandContext {
  /// What tells how the text of a file by its path is read: in the database's directory its name alone, so that its values are
  /// the domain's.
  func reading(ofFileAt path: String) -> TextFile.Reading {
    // Without a database, no file is in its directory.
    let isDomains = try? openDatabase().lies(in: DatabaseLocation.parent(of: path))
    return isDomains == true ? .name : .contents
  }
}

extension TextFile {
  /// What tells how a text is read, besides the file's name.
  enum Reading: Equatable {
    /// What it holds, as of every file by its path.
    case contents
    /// Nothing else, as of a domain's file, also by its path.
    case name
    /// Some of several versions of the file are Window Maker's by what they hold, and all are read alike.
    ///
    /// Where one of them has comments or types, the file is not Window Maker's.
    case versions(escapesAreUTF8: Bool, haveTypes: Bool)

    /// How versions of a file are read alike: as Window Maker's where one certainly is, to which a comment in another one has
    /// been added; or else as the first one of them whose characters depend on it, so that what no version has changed
    /// stays what it was.
    ///
    /// - Parameter versions: What each holds, read by itself, the earliest first; nil for one that is not there.
    init(of versions: [TextFile?]) {
      let present = versions.compactMap(\.self)
      guard present.contains(where: { $0.options.octalEscapes == .utf8Bytes }) else {
        self = .contents
        return
      }
      let certain = present.first {
        $0.options.octalEscapes == .utf8Bytes && WindowMakerContents.areCertain(in: $0.root)
      }
      let deciding =
        certain ?? present.first { $0.isText && PropertyList.hasOctalEscapes(inText: $0.bytes) }
      self = .versions(
        escapesAreUTF8: deciding?.options.octalEscapes != .nextStep,
        haveTypes: present.contains(where: \.canHaveTypes))
    }

    /// What octal escapes are in the text; nil for what its name or its contents tell.
    var octalEscapes: PropertyList.ParsingOptions.OctalEscapes? {
      guard case .versions(let escapesAreUTF8, _) = self, escapesAreUTF8 else { return nil }
      return .utf8Bytes
    }

    /// Whether one of several versions has comments or types.
    var haveTypes: Bool { if case .versions(_, haveTypes: true) = self { true } else { false } }
  }

  /// How the text of a file by its path is read, if its contents tell nothing.
  static func options(forFileAt path: String) -> PropertyList.ParsingOptions {
    var options = PropertyListFile.defaultOptions(forFileAt: path)
    options.refusesOpenComment = true
    return options
  }

  /// Whether it has what no file of Window Maker's has.
  private var canHaveTypes: Bool { !isText || PropertyList.hasCommentsOrTypes(inText: bytes) }

  /// Changed bytes in which every character stays what it was where the file is read the next time.
  ///
  /// Whether a file is Window Maker's by what it holds can change, and with that what its octal escapes mean. Then
  /// the characters themselves are written.
  ///
  /// - Parameter value: What the bytes hold, read as the file was.
  func settled(_ changed: [UInt8], holding value: PropertyList) throws(CommandError) -> [UInt8] {
    if isRead(changed, as: value) { return changed }
    guard let spelled = PropertyList.spellingOutOctalEscapes(of: changed, options: options),
      isRead(spelled, as: value),
      PropertyList.lostCharacter(from: changed, to: spelled, writing: value, options: options) == nil
    else {
      throw CommandError(
        .refused,
        "\(path): has octal escapes, which would be read as other characters after the change; "
          + "the file is unchanged: write these characters in UTF-8 with an editor first")
    }
    return spelled
  }

  /// Whether changed bytes are read as a value where the file is read the next time.
  func isRead(_ changed: [UInt8], as value: PropertyList) -> Bool {
    // Other escapes mean the same to all readers.
    guard isText, reading != .name, !isNamedAsWindowMakers, changed.contains(UInt8(ascii: "\\")) else {
      return true
    }
    if options.octalEscapes == .nextStep, !WindowMakerContents.areIn(value) { return true }
    var options = TextFile.options(forFileAt: place)
    return (try? DomainFileFormat.recognised(from: changed, at: place, &options))?.value == value
  }
}
