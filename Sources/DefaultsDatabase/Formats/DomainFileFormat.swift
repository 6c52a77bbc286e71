package import OpenStepPropertyList

/// The formats of a property list's file.
package enum DomainFileFormat: Hashable, Sendable {
  /// OPENSTEP's text, with GNUstep's typed values and this package's type notes.
  case openStep
  /// The text with GNUstep's typed values only, for GNUstep's own directories; read as `openStep`.
  case gnustep
  /// Apple's and GNUstep's XML.
  case xml
  /// Apple's binary format.
  case binary
}

extension DomainFileFormat {
  /// Recognises a file's format by its first bytes; anything that is neither XML nor binary is text.
  package init(recognising bytes: [UInt8]) {
    if PropertyList.isBinary(bytes) {
      self = .binary
    } else if PropertyList.isXML(bytes) {
      self = .xml
    } else {
      self = .openStep
    }
  }

  /// Whether it is text, in which no value takes fewer bytes than it has itself.
  var isText: Bool {
    switch self {
    case .openStep, .gnustep: true
    case .xml, .binary: false
    }
  }

  /// Reads any property list value in any of the formats.
  ///
  /// - Parameters:
  ///   - textOptions: How a text is read; its bounds hold for every format.
  ///   - undoesGNUstepEscapes: Whether `\U001B` in XML stands for a character, as in GNUstep's own files.
  /// - Throws: an error unless the bytes are one whole value; never gives a part.
  /// - Complexity: linear in the length of the file, in memory and time, even if a binary
  ///   file shares its objects.
  package static func propertyList(
    from bytes: [UInt8], textOptions: PropertyList.ParsingOptions = PropertyList.ParsingOptions(),
    undoesGNUstepEscapes: Bool = false
  ) throws(FormatError) -> (value: PropertyList, format: DomainFileFormat) {
    let format = DomainFileFormat(recognising: bytes)
    let value =
      switch format {
      case .openStep, .gnustep: try OpenStepFormat.propertyList(from: bytes, options: textOptions)
      case .xml:
        try XMLFormat.propertyList(
          from: bytes, bounds: textOptions.bounds, undoesGNUstepEscapes: undoesGNUstepEscapes)
      case .binary: try BinaryFormat.propertyList(from: bytes, bounds: textOptions.bounds)
      }
    return (value, format)
  }

  /// Reads any property list value from a string: a text, or XML, whatever encoding that declares. No string is a binary
  /// property list, though one may begin as such a file does.
  ///
  /// - Throws: as the same for bytes.
  package static func propertyList(
    from string: String, textOptions: PropertyList.ParsingOptions = PropertyList.ParsingOptions(),
    undoesGNUstepEscapes: Bool = false
  ) throws(FormatError) -> PropertyList {
    let bytes = Array(string.utf8)
    if DomainFileFormat(recognising: bytes) == .xml {
      return try XMLFormat.propertyList(
        from: bytes, ofString: true, bounds: textOptions.bounds, undoesGNUstepEscapes: undoesGNUstepEscapes)
    }
    return try OpenStepFormat.propertyList(from: bytes, options: textOptions)
  }

  /// Writes a value in this format.
  ///
  /// - Parameter maximumCount: How many bytes a text or XML may have; no larger file is read. With its indentation it may
  ///   take many times as much memory as the value.
  /// - Throws: an error if the format cannot hold the value exactly, so that it would be read back as
  ///   another; text holds every value of at most ``PropertyList/maximumDepth`` nested containers.
  package func bytes(
    of value: PropertyList, within maximumCount: Int = FileSize.maximum
  ) throws(FormatError) -> [UInt8] {
    switch self {
    case .openStep: try OpenStepFormat.bytes(of: value, within: maximumCount)
    case .gnustep: try OpenStepFormat.bytes(of: value, style: .gnustep, within: maximumCount)
    case .xml: try XMLFormat.bytes(of: value, within: maximumCount)
    case .binary: try BinaryFormat.bytes(of: value)
    }
  }

  /// Writes a value in this format, and checks it by reading it back.
  ///
  /// - Throws: an error also if GNUstep's text would change the value, such as a Float into a Double.
  package func exactBytes(
    of value: PropertyList, within maximumCount: Int = FileSize.maximum
  ) throws(FormatError) -> [UInt8] {
    let bytes = try bytes(of: value, within: maximumCount)
    guard try DomainFileFormat.propertyList(from: bytes, textOptions: .domainFile).value == value else {
      throw FormatError("this format cannot hold the value exactly")
    }
    return bytes
  }

  /// Writes a value as GNUstep's XML, and checks it by reading it back; nil if it does not hold the value exactly.
  ///
  /// Other readers of XML see control characters as GNUstep spells them: `\U001B`.
  package static func exactGNUstepXML(of value: PropertyList) -> [UInt8]? {
    guard let bytes = try? XMLFormat.bytes(of: value, style: .gnustep, within: FileSize.maximum),
      (try? DomainFileFormat.propertyList(from: bytes, undoesGNUstepEscapes: true).value) == value
    else { return nil }
    return bytes
  }

  /// Writes a value in this format or, if that has no form for it, in another that the dialect allows.
  ///
  /// In GNUstep's text and XML, a Float becomes a Double; see ``FileCapacity``.
  func bytes(of value: PropertyList, for dialect: DatabaseDialect) throws(FormatError) -> [UInt8] {
    let formats = dialect.formats(forFileOf: self)
    for format in formats.dropLast() {
      do throws(FormatError) {
        if dialect == .gnustep, format == .xml {
          return try XMLFormat.bytes(of: value, style: .gnustep, within: FileSize.maximum)
        }
        return try format.bytes(of: value)
      } catch  where !error.isTooLong {
        // The next format is tried for this reason.
      }
    }
    return try (formats.last ?? .openStep).bytes(of: value)
  }
}
