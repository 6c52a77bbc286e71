import DefaultsDatabase
package import OpenStepPropertyList

/// Recognises Window Maker's files by their keys, and its menus by their form.
///
/// Their octal escapes do not suffice: two escapes may be one character of UTF-8 or two of NeXT's set.
package enum WindowMakerContents {
  /// Whether a text is Window Maker's: by its file's name, or by what it holds.
  ///
  /// - Parameters:
  ///   - value: What it holds.
  ///   - options: How it was read.
  package static func areIn(
    _ value: PropertyList, of text: [UInt8], _ options: PropertyList.ParsingOptions, ofFileAt path: String
  ) -> Bool {
    OpenStepFormat.isWindowMakerFile(PathNames.last(in: path))
      || areIn(value) && canBe(text, holding: value, options)
  }

  /// Whether a value has the keys of a file of Window Maker's, or the form of a menu; other programs' values can have them
  /// by chance.
  package static func areIn(_ value: PropertyList) -> Bool {
    if case .dictionary(let values) = value { return recognises(values) }
    return isMenu(value)
  }

  /// Whether Window Maker can have written a text: it refuses comments, so that there are no types either, and its octal
  /// escapes are UTF-8; with keys that no other program has, some can be damaged or older.
  static func canBe(
    _ text: [UInt8], holding value: PropertyList, _ options: PropertyList.ParsingOptions
  ) -> Bool {
    if areCertain(in: value) { return !PropertyList.hasCommentsOrTypes(inText: text) }
    return isWellFormed(text, options)
  }

  /// Whether a text has nothing that Window Maker does not write: neither comments nor octal escapes that are no UTF-8.
  static func isWellFormed(_ text: [UInt8], _ options: PropertyList.ParsingOptions) -> Bool {
    guard !PropertyList.hasCommentsOrTypes(inText: text) else { return false }
    var options = options
    options.octalEscapes = .utf8Bytes
    return !PropertyList.losesCharacters(text, options: options)
  }

  /// Whether a value is a menu: a title, and then items, each a list that begins with a title.
  static func isMenu(_ value: PropertyList) -> Bool {
    guard case .array(let elements) = value, elements.count >= 2, case .string = elements[0] else {
      return false
    }
    return elements.dropFirst().allSatisfy {
      if case .array(let item) = $0, item.count >= 2, case .string = item[0] { true } else { false }
    }
  }

  /// Whether bytes are a menu in Window Maker's other text, in which the line `"Title" MENU` begins a menu and
  /// `"Title" END` ends it.
  static func isMenuText(_ bytes: [UInt8]) -> Bool {
    var (first, last): (MenuMark?, MenuMark?)
    var start = 0
    // Of the bytes: as a string, any large file that is no property list would take seconds.
    while start < bytes.count {
      let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      let line = bytes[start..<(end ?? bytes.count)]
      if let mark = MenuMark(ofLine: line) { (first, last) = (first ?? mark, mark) }
      start = line.endIndex + 1
    }
    return first == .menu && last == .end
  }

  /// The last word of a line that begins or ends a menu; a title stands before it.
  private enum MenuMark {
    case menu, end

    init?(ofLine line: ArraySlice<UInt8>) {
      func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
      guard let wordEnd = line.lastIndex(where: { !isSpace($0) }),
        let space = line[..<wordEnd].lastIndex(where: isSpace),
        line[..<space].contains(where: { !isSpace($0) })
      else { return nil }
      switch line[(space + 1)...wordEnd] {
      case let word where word.elementsEqual("MENU".utf8): self = .menu
      case let word where word.elementsEqual("END".utf8): self = .end
      default: return nil
      }
    }
  }

  /// Whether a domain's values are most probably Window Maker's.
  static func recognises(_ values: [PropertyListKey: PropertyList]) -> Bool {
    guard !values.isEmpty else { return false }
    let keys = Set(values.keys)
    return areCertain(in: .dictionary(values)) || isState(values, keys) || areAttributes(values)
      || (keys.isSubset(of: toolkitKeys) && keys.count >= 2)
  }

  /// Whether a value can only be Window Maker's: preferences that no other program has, or the contents of the dock.
  package static func areCertain(in value: PropertyList) -> Bool {
    guard case .dictionary(let values) = value else { return false }
    return Set(values.keys).intersection(preferences).count >= 3
      || (["Dock", "Clip"] as [PropertyListKey]).contains {
        if case .array? = dictionary(values[$0])?["Applications"] { true } else { false }
      }
  }

  /// `WMState`: the contents of the workspaces' clips.
  private static func isState(_ values: [PropertyListKey: PropertyList], _ keys: Set<PropertyListKey>) -> Bool
  {
    guard keys.isSubset(of: stateKeys), case .array(let workspaces) = values["Workspaces"] else {
      return false
    }
    return workspaces.allSatisfy { dictionary($0)?["Name"] != nil }
  }

  /// `WMWindowAttributes`: attributes by the names of windows.
  private static func areAttributes(_ values: [PropertyListKey: PropertyList]) -> Bool {
    var count = 0
    for value in values.values {
      guard let entries = dictionary(value), entries.keys.allSatisfy({ attributes.contains($0) })
      else { return false }
      count += entries.count
    }
    return count > 0
  }

  private static func dictionary(_ value: PropertyList?) -> [PropertyListKey: PropertyList]? {
    if case .dictionary(let entries) = value { entries } else { nil }
  }

  private static let stateKeys: Set<PropertyListKey> = [
    "Applications", "Clip", "Dock", "Drawers", "Menus", "Workspace", "Workspaces",
  ]

  /// `WMGLOBAL`, which all programs of its toolkit share.
  private static let toolkitKeys: Set<PropertyListKey> = [
    "AntialiasedText", "BoldSystemFont", "DefaultFontSize", "FloppyPath", "MultiByteText", "SystemFont",
  ]

  private static let attributes: Set<PropertyListKey> = [
    "AlwaysUserIcon", "DontSaveSession", "EmulateAppIcon", "FocusAcrossWorkspace", "FullMaximize", "Icon",
    "IgnoreDecorationChanges", "KeepInsideScreen", "KeepOnBottom", "KeepOnTop", "NoAppIcon", "NoBorder",
    "NoCloseButton", "NoHideOthers", "NoKeyBindings", "NoLanguageButton", "NoMiniaturizable",
    "NoMiniaturizeButton", "NoMouseBindings", "NoResizebar", "NoTitlebar", "NotClosable", "NotMiniaturizable",
    "Omnipresent", "SharedAppIcon",
    "SkipSwitchPanel", "SkipWindowList", "StartHidden", "StartMaximized", "StartMiniaturized",
    "StartWorkspace", "Unfocusable",
  ]

  /// Keys of the domain `WindowMaker` that no other program uses.
  private static let preferences: Set<PropertyListKey> = [
    "AlignSubmenus", "AutoArrangeIcons", "ClipTitleFont", "CloseKey", "DisableClip", "DisableMiniwindows",
    "DontLinkWorkspaces", "EdgeResistance", "FTitleBack", "FTitleColor", "FocusMode", "HideKey",
    "HighlightColor", "IconBack", "IconPosition", "IconSize", "IconTitleFont", "IconificationStyle",
    "LargeDisplayFont", "MaximizeKey", "MenuScrollSpeed", "MenuStyle", "MenuTextBack", "MenuTextFont",
    "MenuTitleBack", "MenuTitleFont", "MiniaturizeKey", "ModifierKey", "NewStyle", "NoWindowOverDock",
    "NoWindowOverIcons", "OpaqueMove", "OpenTransientOnOwnerWorkspace", "PTitleBack", "PixmapPath",
    "RootMenuKey", "SaveSessionOnExit", "SmoothWorkspaceBack", "Superfluous", "TitleJustify", "UTitleBack",
    "UTitleColor", "WidgetColor", "WindowListKey", "WindowPlacement", "WindowTitleFont", "WindozeCycling",
    "WorkspaceBack", "WorkspaceBorder", "WrapMenus",
  ]
}
