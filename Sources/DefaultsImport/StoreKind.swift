/// The kinds of files from which domains are imported.
package enum StoreKind: String, CaseIterable, Sendable {
  /// GNUstep's directory with one file per domain: XML, text with or without types, binary.
  case gnustep
  /// GNUstep's single file from before 2011: a dictionary of domains by name.
  case gnustepSingle = "gnustep-single"
  /// OPENSTEP's texts, and NeXT's in its own character set.
  case openStep = "openstep"
  /// Window Maker's texts without an extension, with UTF-8 in octal escapes.
  case windowMaker = "windowmaker"
  /// Apple's XML and binary files.
  case macOS = "macos"
  /// JSON with one domain; no program stores its defaults like this.
  case json
  /// JSON with one domain in which every value names its type, as `-to tagged` prints it.
  case tagged

  /// A description of one file, for messages.
  package var fileDescription: String {
    switch self {
    case .gnustep: "a file of GNUstep's"
    case .gnustepSingle: "GNUstep's single file of all domains"
    case .openStep: "OPENSTEP's text"
    case .windowMaker: "a file of Window Maker's"
    case .macOS: "a file of macOS"
    case .json: "JSON"
    case .tagged: "tagged JSON"
    }
  }
}
