/// The kinds of stores in which programs have left their users' defaults, and what else a domain is made of.
package enum StoreKind: String, CaseIterable, Sendable {
  /// GNUstep's directory of one file a domain: XML, text with or without types, binary.
  case gnustep
  /// GNUstep's one file of before 2011: a dictionary of domains by name.
  case gnustepSingle = "gnustep-single"
  /// OPENSTEP's texts, and NeXT's in its own character set.
  case openStep = "openstep"
  /// Window Maker's texts without an extension, with UTF-8 in octal escapes.
  case windowMaker = "windowmaker"
  /// Apple's XML and binary files.
  case macOS = "macos"
  /// JSON, of which one domain is made; no program keeps its defaults so.
  case json

  /// How messages call one of its files.
  package var fileDescription: String {
    switch self {
    case .gnustep: "a file of GNUstep's"
    case .gnustepSingle: "GNUstep's single file of all domains"
    case .openStep: "OPENSTEP's text"
    case .windowMaker: "a file of Window Maker's"
    case .macOS: "a file of macOS"
    case .json: "JSON"
    }
  }
}
