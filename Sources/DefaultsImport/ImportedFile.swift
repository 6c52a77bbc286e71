import DefaultsDatabase
import OpenStepPropertyList

/// One file of an old store, recognised and read.
struct ImportedFile {
  let path: String
  let kind: StoreKind
  let format: DomainFileFormat
  let value: PropertyList
  /// Whether U+FFFD in a value replaces bytes that the file's character set lacks, and
  /// does not come from the file.
  private let replacesCharacters: Bool
  /// Whether the value is a dictionary, as a domain's is.
  let isDomain: Bool
  /// Whether it is one of Window Maker's menus, and not given as one domain's file.
  let isMenu: Bool
  /// The reports about the reading.
  let remarks: [ImportRemark]

  /// Reads a file's bytes.
  ///
  /// - Parameters:
  ///   - kind: The required kind; nil to recognise it.
  ///   - encoding: The character set of a text that is not Unicode; nil for the kind's own.
  ///   - isOneDomain: Whether the caller knows that it is one domain, and not GNUstep's single file of all
  ///     domains. Only then it may be JSON, which no store uses for a domain's file.
  /// - Throws: an error of the kind `damaged`, or `refused` for a whole file of another kind.
  init(
    _ bytes: [UInt8], path: String, as kind: StoreKind?,
    encoding: PropertyList.ParsingOptions.EightBitEncoding?, isOneDomain: Bool = false
  ) throws(DatabaseError) {
    self.path = path
    format = DomainFileFormat(recognising: bytes)
    var remarks: [ImportRemark] = []
    var options = PropertyList.ParsingOptions()
    let isJSON = kind == .json || kind == .tagged || PropertyList.isJSON(bytes)
    if isOneDomain, format == .openStep, isJSON {
      self.kind = kind == .tagged ? .tagged : .json
      value = try ImportedFile.value(ofJSON: bytes, path, isTagged: kind == .tagged)
      if kind != .tagged, TaggedJSON.isTagged(value) {
        remarks.append(ImportRemark(.note, path: path, TaggedJSON.remark(advising: "-from tagged")))
      }
    } else if format == .openStep {
      let text = try ImportedText(
        bytes, path: path, as: kind, encoding: encoding, isOneDomain: isOneDomain)
      (self.kind, value, options) = (text.kind, text.value, text.options)
      if text.isEightBit, encoding == nil {
        remarks.append(
          ImportRemark(
            .note, path: path,
            "is not UTF-8 and was read as \(options.eightBitEncoding.displayName); “-encoding” names another set"
          ))
      }
    } else {
      do throws(FormatError) {
        value = try DomainFileFormat.propertyList(
          from: bytes,
          undoesGNUstepEscapes: kind == .gnustepSingle || ImportedFile.looksLikeGNUsteps(bytes, as: kind)
        ).value
      } catch {
        throw ImportedFile.error(error, path)
      }
      let isSingle = format == .xml && !isOneDomain && ImportedFile.isDictionaryOfDomains(value)
      self.kind =
        if isSingle || (kind == .gnustepSingle && format == .xml) {
          .gnustepSingle
        } else if kind == .gnustep && format == .binary {
          // GNUstep writes and reads Apple's binary format too.
          .gnustep
        } else {
          format == .xml && ImportedFile.looksLikeGNUsteps(bytes, as: kind) ? .gnustep : .macOS
        }
    }
    // JSON that is not well-formed was refused above.
    let isText = self.kind != .json && self.kind != .tagged
    replacesCharacters =
      isText && value.holdsReplacementCharacter && PropertyList.losesCharacters(bytes, options: options)
    if isText, PropertyList.hasComments(bytes) {
      remarks.append(ImportRemark(.note, path: path, "has comments, which are not carried"))
    }
    self.remarks = remarks
    let isRootMenu = PathNames.last(in: path) == OpenStepFormat.rootMenuFile
    isDomain = if case .dictionary = value { true } else { false }
    isMenu = !isDomain && !isOneDomain && (isRootMenu || WindowMakerContents.isMenu(value))
    // What is no domain of any kind is left out whatever kind is asked for.
    if isMenu { return }
    if let kind, kind != self.kind { throw ImportedFile.refusal(path, self.kind, expected: kind) }
    if kind == .gnustepSingle, !ImportedFile.isDictionaryOfDictionaries(value) {
      throw DatabaseError(
        .refused, path: path, message: "is no dictionary of domains, as GNUstep's single file is",
        advice: "nothing of it was carried; “-from auto” finds out what it is")
    }
  }

  /// The file's path for each key in whose value U+FFFD replaces bytes that are no character.
  func replaced(in values: [PropertyListKey: PropertyList]) -> [PropertyListKey: String] {
    guard replacesCharacters else { return [:] }
    return values.filter { PropertyList.dictionary([$0.key: $0.value]).holdsReplacementCharacter }
      .mapValues { _ in path }
  }

  private static func value(
    ofJSON bytes: [UInt8], _ path: String, isTagged: Bool
  ) throws(DatabaseError) -> PropertyList {
    do throws(FormatError) {
      if isTagged { return try TaggedJSON.value(from: bytes) }
      do throws(PropertyListError) {
        return try PropertyList(parsingJSON: bytes)
      } catch {
        throw FormatError(error, in: bytes)
      }
    } catch {
      throw ImportedFile.error(error, path)
    }
  }

  static func refusal(_ path: String, _ kind: StoreKind, expected: StoreKind) -> DatabaseError {
    DatabaseError(
      .refused, path: path, message: "is \(kind.fileDescription), not \(expected.fileDescription)",
      advice: "nothing of it was carried; “-from \(kind.rawValue)” and “-from auto” take it")
  }

  static func error(_ error: FormatError, _ path: String) -> DatabaseError {
    guard let sentence = NeXTDatabase.description(ofFileAt: path) else { return .damaged(path: path, error) }
    return DatabaseError(.damaged, path: path, message: sentence)
  }

  // MARK: Recognition

  /// Whether a value is the contents of GNUstep's single file, which always has the global domain.
  static func isDictionaryOfDomains(_ value: PropertyList) -> Bool {
    guard case .dictionary(let domains) = value, domains[PropertyListKey(DomainName.global.text)] != nil
    else { return false }
    return isDictionaryOfDictionaries(value)
  }

  private static func isDictionaryOfDictionaries(_ value: PropertyList) -> Bool {
    guard case .dictionary(let domains) = value else { return false }
    return domains.values.allSatisfy { if case .dictionary = $0 { true } else { false } }
  }

  /// Whether XML is GNUstep's: it has GNUstep's document type, or spaces before the first
  /// key, where Apple has a tab.
  private static func looksLikeGNUsteps(_ bytes: [UInt8], as kind: StoreKind?) -> Bool {
    let start = String(decoding: bytes.prefix(1024), as: UTF8.self)
    if start.contains("-//GNUstep//") { return true }
    // GNUstep may write Apple's document type too, and the layout may have been changed by hand.
    if let kind { return kind == .gnustep }
    return start.contains("\n    <key>")
  }
}

extension PropertyList.ParsingOptions.EightBitEncoding {
  fileprivate var displayName: String {
    switch self {
    case .nextStep: "NeXT's character set"
    case .isoLatin1: "ISO Latin 1"
    }
  }
}
