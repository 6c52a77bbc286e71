package import OpenStepPropertyList

/// OPENSTEP's text.
package enum OpenStepFormat {
  package static func propertyList(
    from bytes: [UInt8], options: PropertyList.ParsingOptions
  ) throws(FormatError) -> PropertyList {
    do throws(PropertyListError) {
      return try PropertyList(parsing: bytes, options: options)
    } catch {
      throw FormatError(error)
    }
  }

  /// Places in a domain's text that its author probably meant differently.
  package static func warnings(from bytes: [UInt8]) throws(FormatError) -> [PropertyListWarning] {
    do throws(PropertyListError) {
      return try PropertyList.parsingWithWarnings(bytes, options: .domainFile).warnings
    } catch {
      throw FormatError(error)
    }
  }

  static func bytes(
    of value: PropertyList, style: PropertyList.Style = .openStep
  ) throws(FormatError) -> [UInt8] {
    do throws(PropertyListError) {
      return try value.bytes(style: style)
    } catch {
      throw FormatError(error)
    }
  }

  /// How a domain's file is read: Window Maker's own files hold UTF-8 in octal escapes.
  static func options(forFileNamed name: String) -> PropertyList.ParsingOptions {
    var options = PropertyList.ParsingOptions.domainFile
    if isWindowMakerFile(name) { options.octalEscapes = .utf8Bytes }
    return options
  }

  /// Whether a name is one of Window Maker's own files.
  package static func isWindowMakerFile(_ name: String) -> Bool {
    switch name {
    case "WindowMaker", "WMState", "WMWindowAttributes", "WMRootMenu", "WMGLOBAL", "WPrefs": true
    default: false
    }
  }
}
