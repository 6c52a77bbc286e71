import OpenStepPropertyList

/// Recognises Window Maker's files by their keys.
///
/// Their octal escapes do not suffice: two escapes may be one character of UTF-8 or two of NeXT's set.
enum WindowMakerContents {
  /// Whether a domain's values can only be Window Maker's.
  static func recognises(_ values: [PropertyListKey: PropertyList]) -> Bool {
    guard !values.isEmpty else { return false }
    let keys = Set(values.keys.map(\.text))
    return keys.intersection(preferences).count >= 3 || isState(values, keys) || areAttributes(values)
      || (keys.isSubset(of: toolkitKeys) && keys.count >= 2)
  }

  /// `WMState`: the contents of the dock and of the workspaces' clips.
  private static func isState(_ values: [PropertyListKey: PropertyList], _ keys: Set<String>) -> Bool {
    if ["Dock", "Clip"].contains(where: { dictionary(values[$0])?["Applications"] != nil }) { return true }
    guard keys.isSubset(of: stateKeys), case .array(let workspaces) = values["Workspaces"] else {
      return false
    }
    return workspaces.allSatisfy { dictionary($0)?["Name"] != nil }
  }

  /// `WMWindowAttributes`: attributes by the names of windows.
  private static func areAttributes(_ values: [PropertyListKey: PropertyList]) -> Bool {
    var count = 0
    for value in values.values {
      guard let entries = dictionary(value), entries.keys.allSatisfy({ attributes.contains($0.text) })
      else { return false }
      count += entries.count
    }
    return count > 0
  }

  private static func dictionary(_ value: PropertyList?) -> [PropertyListKey: PropertyList]? {
    if case .dictionary(let entries) = value { entries } else { nil }
  }

  private static let stateKeys: Set = [
    "Applications", "Clip", "Dock", "Drawers", "Menus", "Workspace", "Workspaces",
  ]

  /// `WMGLOBAL`, which all programs of its toolkit share.
  private static let toolkitKeys: Set = [
    "AntialiasedText", "BoldSystemFont", "DefaultFontSize", "FloppyPath", "MultiByteText", "SystemFont",
  ]

  private static let attributes: Set = [
    "AlwaysUserIcon", "DontSaveSession", "EmulateAppIcon", "FocusAcrossWorkspace", "FullMaximize", "Icon",
    "IgnoreDecorationChanges", "KeepInsideScreen", "KeepOnBottom", "KeepOnTop", "NoAppIcon", "NoBorder",
    "NoCloseButton", "NoHideOthers", "NoKeyBindings", "NoLanguageButton", "NoMiniaturizable",
    "NoMiniaturizeButton", "NoMouseBindings", "NoResizebar", "NoTitlebar", "NotClosable", "NotMiniaturizable",
    "Omnipresent", "SharedAppIcon",
    "SkipSwitchPanel", "SkipWindowList", "StartHidden", "StartMaximized", "StartMiniaturized",
    "StartWorkspace", "Unfocusable",
  ]

  /// Keys of the domain `WindowMaker` that no other program uses.
  private static let preferences: Set = [
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
