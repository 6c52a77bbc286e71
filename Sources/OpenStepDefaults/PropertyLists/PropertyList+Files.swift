public import DefaultsDatabase
public import OpenStepPropertyList

/// Property lists in files of the program's own, outside of any defaults database.
extension PropertyList {
  /// The formats in which a property list's file is written.
  public enum FileFormat: Hashable, Sendable {
    /// Text of a style: OPENSTEP's in UTF-8 or in ASCII, or GNUstep's.
    case text(Style)
    /// XML in Apple's or in GNUstep's form.
    case xml(XMLStyle)
    /// Apple's binary format.
    case binary
  }

  /// Reads a file in any of the formats: OPENSTEP's and GNUstep's text, XML and binary property lists.
  ///
  /// The format is recognised by the file's contents, whatever its name. A text may be UTF-8, UTF-16 or of
  /// eight bits, and an XML document in any encoding that it declares. JSON, which has no original among
  /// these, is read by `init(parsingJSON:)`. A link is followed, and a pipe or a device is read to
  /// its end.
  ///
  /// Unlike `NSDictionary dictionaryWithContentsOfFile:` of OPENSTEP and GNUstep, which gives nil for a
  /// missing file and for a damaged one alike, it tells why a file cannot be read and where it is damaged.
  ///
  /// - Parameters:
  ///   - path: The file's path; a relative one begins in the working directory, and `~` means nothing special.
  ///   - options: How a text is read, and the bounds of every format; nil for the options of a domain's file
  ///     of that name, which honour type notes (`5 /*integer*/`). No file of more than 1 GiB is read.
  ///   - undoesGNUstepEscapes: Whether `\U001B` in XML stands for a character, as in the files that GNUstep
  ///     writes and `XMLStyle.gnustep` does.
  /// - Throws: ``DatabaseError`` of the kind `damaged`, with the line and the column in
  ///   ``DatabaseError/propertyListError``, for a file that is not one whole property list; an empty one is
  ///   none. An error of another kind if the file cannot be read.
  /// - Complexity: linear in the length of the file, in time and memory; no recursion.
  public init(
    contentsOfFile path: String, options: ParsingOptions? = nil, undoesGNUstepEscapes: Bool = false
  ) throws(DatabaseError) {
    self = try PropertyListFile.value(
      at: path, options: options, undoesGNUstepEscapes: undoesGNUstepEscapes)
  }

  /// Writes a file, which is old or new as a whole whatever happens, and returns when it is on stable storage.
  ///
  /// A temporary file beside it is written, flushed and renamed. A file that is replaced passes its
  /// permissions on to the new one, and its owner and group as far as this process may set them; its access
  /// control list and other attributes are not kept. A new file has the permissions that the umask leaves. A
  /// symbolic link in a directory of the user's own is followed, any other is refused. Missing directories are
  /// made. A device or a pipe is written into.
  ///
  /// - Parameters:
  ///   - path: The file's path; a relative one begins in the working directory, and `~` means nothing special.
  ///   - format: The format; by default OPENSTEP's text in UTF-8, which holds every value.
  /// - Throws: ``DatabaseError`` of the kind `refused` if the format cannot hold a value, such as a date with
  ///   a fraction of a second in XML, and an error of another kind if the file cannot be written. A file that
  ///   was there keeps its bytes then.
  public func write(
    toFile path: String, format: FileFormat = .text(.openStep)
  ) throws(DatabaseError) {
    let bytes: [UInt8]
    do throws(FormatError) {
      bytes =
        switch format {
        case .text(let style): try OpenStepFormat.bytes(of: self, style: style, within: FileSize.maximum)
        case .xml(let style): try XMLFormat.bytes(of: self, style: style, within: FileSize.maximum)
        case .binary: try BinaryFormat.bytes(of: self)
        }
    } catch {
      let advice = format == .text(.openStep) ? "" : "; the format .text(.openStep) holds every value"
      throw DatabaseError(
        .refused, path: path, message: "is not written: \(error)", advice: "nothing was changed\(advice)")
    }
    try PropertyListFile.write(bytes, to: path)
  }
}
