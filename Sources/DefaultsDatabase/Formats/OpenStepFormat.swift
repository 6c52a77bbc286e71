package import OpenStepPropertyList

/// OPENSTEP's text.
package enum OpenStepFormat {
  package static func propertyList(
    from bytes: [UInt8], options: PropertyList.ParsingOptions
  ) throws(FormatError) -> PropertyList {
    do throws(PropertyListError) {
      return try PropertyList(parsing: bytes, options: options)
    } catch {
      throw FormatError(error, in: bytes)
    }
  }

  /// Places in a domain's text that its author probably meant differently.
  ///
  /// - Parameter name: The file's name, which tells whether Window Maker has to read it.
  package static func warnings(
    from bytes: [UInt8], ofFileNamed name: String
  ) throws(FormatError) -> [PropertyListWarning] {
    do throws(PropertyListError) {
      let warnings = try PropertyList.parsingWithWarnings(bytes, options: options(forFileNamed: name))
        .warnings
      guard isWindowMakerFile(name) else { return warnings }
      let others = try PropertyList.windowMakerWarnings(bytes)
      let all = (warnings + others).sorted { ($0.line, $0.column) < ($1.line, $1.column) }
      return Array(all.prefix(PropertyListWarning.limit))
    } catch {
      throw FormatError(error, in: bytes)
    }
  }

  package static func bytes(
    of value: PropertyList, style: PropertyList.Style = .openStep, within maximumCount: Int = .max
  ) throws(FormatError) -> [UInt8] {
    do throws(PropertyListError) {
      return try value.bytes(style: style, within: maximumCount)
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

  /// The values as Window Maker's files hold them: its reader knows no comments, and so no notes of types.
  static func withoutTypes(
    _ values: [PropertyListKey: PropertyList]
  ) throws(FormatError) -> [PropertyListKey: PropertyList] {
    do throws(PropertyListError) {
      guard case .dictionary(let result) = try PropertyList.dictionary(values).withoutTypes else {
        return values
      }
      return result
    } catch {
      throw FormatError(error)
    }
  }

  /// Whether a name is one of Window Maker's own files.
  package static func isWindowMakerFile(_ name: String) -> Bool {
    switch name {
    case "WindowMaker", "WMState", "WMWindowAttributes", rootMenuFile, "WMGLOBAL", "WPrefs": true
    default: false
    }
  }

  /// The file of Window Maker's that is no domain: its root menu.
  package static let rootMenuFile = "WMRootMenu"
}
