import DefaultsDatabase
import OpenStepPropertyList

/// The formats in which values are printed or written.
enum OutputFormat: String {
  /// A default a line: domain, key, value.
  case lines
  /// The value alone.
  case value
  /// A path and a scalar a line.
  case flat
  case openstep, gnustep, windowmaker, xml, binary, json, tagged

  /// Those in which `read` prints values.
  static let printed: [OutputFormat] = [.lines, .value, .flat, .openstep, .gnustep, .xml, .json, .tagged]
  /// Those into which `convert` converts files.
  static let converted: [OutputFormat] = [
    .openstep, .gnustep, .windowmaker, .xml, .binary, .json, .tagged, .flat,
  ]
  /// Those in which `export` writes domains.
  static let exported: [OutputFormat] = [.openstep, .gnustep, .xml, .binary]

  /// The format that the word behind `-to` names.
  ///
  /// - Parameter formats: Those that the verb has.
  /// - Throws: a usage error for another name, and for none.
  init(
    named name: String?, of command: any Subcommand.Type, among formats: [OutputFormat]
  ) throws(CommandError) {
    let names = formats.map(\.rawValue)
    guard let name else {
      throw command.usageError("“-to” takes a format: \(names.joined(separator: ", "))")
    }
    guard let format = formats.first(where: { $0.rawValue == OutputFormat.ownName(of: name) }) else {
      var error = command.usageError(
        "there is no format “\(name)”; use one of: \(names.joined(separator: ", "))")
      error.hint = Suggestion.line(for: name, among: names)
      throw error
    }
    self = format
  }

  /// This tool's name of a format that plutil names: `xml1` is `xml`, and `binary1` is `binary`.
  private static func ownName(of name: String) -> String {
    switch name {
    case "xml1": "xml"
    case "binary1": "binary"
    default: name
    }
  }

  /// How many bytes `flat` takes at most in memory: the paths of a deep file take thousands of times as much as it.
  static let maximumFlatByteCount = 1 << 28

  /// A value in this format, a text with its last line end.
  ///
  /// - Parameters:
  ///   - style: How a value alone is spelled.
  ///   - maximumCount: How many bytes `flat` may take.
  ///   - isEscaped: Whether a character must be escaped.
  /// - Throws: an error for a value that the format cannot hold exactly.
  func bytes(
    of value: PropertyList, style: OutputStyle, within maximumCount: Int = maximumFlatByteCount,
    escaping isEscaped: (Unicode.Scalar) -> Bool
  ) throws -> [UInt8] {
    switch self {
    case .lines, .value: return Array(try OutputFormat.plainText(of: value, style: style).utf8)
    case .flat:
      var text = ""
      try value.forEachLeaf { path, leaf in
        text += try DefaultLine.text(path: path, value: leaf, escaping: isEscaped) + "\n"
        guard text.utf8.count <= maximumCount else {
          throw FormatError(
            "the paths and values take more than \(maximumCount >> 20) MiB; without “-o” they are printed")
        }
      }
      return Array(text.utf8)
    case .openstep: return try value.bytes(style: .openStep)
    case .gnustep: return try DomainFileFormat.gnustep.exactBytes(of: value)
    case .windowmaker:
      guard try value.withoutTypes == value else {
        throw FormatError("Window Maker's text has no types, and this value would lose one")
      }
      return try value.bytes(style: .windowMaker)
    case .xml: return try DomainFileFormat.xml.exactBytes(of: value)
    case .binary: return try DomainFileFormat.binary.exactBytes(of: value)
    case .json: return try value.jsonBytes(escaping: isEscaped)
    case .tagged: return Array(TaggedText.text(of: value).utf8)
    }
  }

  /// The format of a domain's file; nil for one in which no domain is kept.
  var fileFormat: DomainFileFormat? {
    switch self {
    case .openstep: .openStep
    case .gnustep: .gnustep
    case .xml: .xml
    case .binary: .binary
    case .lines, .value, .flat, .windowmaker, .json, .tagged: nil
    }
  }

  /// A value alone: a string as it is, data in angle brackets, a container as text.
  private static func plainText(of value: PropertyList, style: OutputStyle) throws -> String {
    if style == .macos { return MacOSDescription.text(of: value) + "\n" }
    switch value {
    case .data(let bytes): return "<\(TaggedText.hexadecimal(bytes))>\n"
    case .array, .dictionary: return try value.text(style: .openStep)
    case .string, .integer, .real, .float, .boolean, .date: return (value.scalarText ?? "") + "\n"
    }
  }
}

extension PropertyList {
  /// Gives the scalars, data and empty containers in the value, each with its path, in the order of their keys.
  ///
  /// They are given one by one, and never collected: the paths of a deep file take thousands of times as much as it.
  func forEachLeaf(_ body: (PropertyListPath, PropertyList) throws -> Void) rethrows {
    var steps: [PropertyListPath.Step] = []
    var pending: [(depth: Int, step: PropertyListPath.Step?, value: PropertyList)] = [(0, nil, self)]
    while let (depth, step, value) = pending.popLast() {
      steps.removeSubrange(depth...)
      if let step { steps.append(step) }
      switch value {
      case .array(let elements) where !elements.isEmpty:
        for index in elements.indices.reversed() {
          pending.append((steps.count, .index(index), elements[index]))
        }
      case .dictionary(let entries) where !entries.isEmpty:
        for (key, value) in entries.sorted(by: { $0.key > $1.key }) {
          pending.append((steps.count, .key(key), value))
        }
      default:
        try body(PropertyListPath(steps), value)
      }
    }
  }
}

extension CommandOutput {
  /// Prints the leaves of a value, a path and a scalar a line.
  ///
  /// - Parameter start: What stands before each path.
  func printLeaves(of value: PropertyList, behind start: String = "") throws {
    try whileRead { check in
      try value.forEachLeaf { path, leaf in
        try print(start + DefaultLine.text(path: path, value: leaf, escaping: escapes))
        try check()
      }
    }
  }
}
