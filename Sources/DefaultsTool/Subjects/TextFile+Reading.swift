import DefaultsDatabase
import DefaultsImport
import OpenStepPropertyList

extension TextFile {
  /// What tells how a text is read, besides the file's name.
  enum Reading: Equatable {
    /// What it holds, as of every file by its path.
    case contents
    /// Nothing else, as of a domain's file.
    case name
    /// Some of several versions of the file are Window Maker's by what they hold, and all are read alike.
    ///
    /// Where one of them has comments or types, the file is not Window Maker's.
    case versions(haveTypes: Bool)

    /// How versions of a file are read alike.
    ///
    /// - Parameter versions: What each holds, read by itself; nil for one that is not there.
    init(of versions: [TextFile?]) {
      guard versions.contains(where: { $0?.options.octalEscapes == .utf8Bytes }) else {
        self = .contents
        return
      }
      self = .versions(haveTypes: versions.contains { $0?.canHaveTypes == true })
    }
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
    var options = TextFile.options(forFileAt: place)
    return (try? DomainFileFormat.recognised(from: changed, at: place, &options))?.value == value
  }
}
