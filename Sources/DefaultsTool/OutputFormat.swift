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

  /// How many bytes a text takes at most in memory if the value's file is small: the indentation of a deep value takes a
  /// hundred times as much as the value, and the paths of `flat` thousands of times.
  static let maximumCount = 1 << 28

  /// How many bytes a text takes at most in memory of a value from a file of so many bytes.
  static func maximumCount(forFileOf byteCount: Int) -> Int {
    max(maximumCount, 32 * min(byteCount, FileSize.maximum / 32))
  }

  /// A value in this format, a text with its last line end.
  ///
  /// - Parameters:
  ///   - style: How a value alone is spelled.
  ///   - maximumCount: How many bytes a text may take.
  ///   - isEscaped: Whether a character must be escaped.
  /// - Throws: an error for a value that the format cannot hold exactly, and for a longer text.
  func bytes(
    of value: PropertyList, style: OutputStyle, within maximumCount: Int = maximumCount,
    escaping isEscaped: (Unicode.Scalar) -> Bool
  ) throws -> [UInt8] {
    switch self {
    case .gnustep, .windowmaker, .xml, .binary:
      if self == .windowmaker, try value.withoutTypes != value {
        throw FormatError("Window Maker's text has no types, and this value would lose one")
      }
      do throws(FormatError) {
        if let fileFormat { return try fileFormat.exactBytes(of: value, within: maximumCount) }
        return try OpenStepFormat.bytes(of: value, style: .windowMaker, within: maximumCount)
      } catch {
        throw error.advisingPieces(beyond: maximumCount)
      }
    case .lines, .value, .flat, .openstep, .json, .tagged:
      var bytes: [UInt8] = []
      try forEachPiece(of: value, style: style, escaping: isEscaped) { piece in
        guard bytes.count + piece.count <= maximumCount else {
          throw FormatError(
            "in this format the value takes more than \(maximumCount >> 20) MiB; without “-o” it is printed piece by piece"
          )
        }
        piece.withUnsafeBufferPointer { bytes += $0 }
      }
      return bytes
    }
  }

  /// Whether a text is made, and checked, as a whole.
  var isWhole: Bool {
    switch self {
    case .gnustep, .windowmaker, .xml, .binary: true
    case .lines, .value, .flat, .openstep, .json, .tagged: false
    }
  }

  /// Prints a value in this format, piece by piece where the format allows it.
  ///
  /// - Parameters:
  ///   - style: How a value alone is spelled.
  ///   - byteCount: How many bytes the value's file has.
  /// - Throws: an error for a value that the format cannot hold exactly, with nothing printed.
  func print(
    _ value: PropertyList, style: OutputStyle, fromFileOf byteCount: Int, to output: CommandOutput
  ) throws {
    if isWhole {
      let maximumCount = OutputFormat.maximumCount(forFileOf: byteCount)
      return try output.write(
        bytes(of: value, style: style, within: maximumCount, escaping: output.escapes))
    }
    if self == .flat { return try output.printLeaves(of: value) }
    // A long text is made twice, so that nothing is printed where an error comes behind pieces.
    if mayRefuse(in: style) {
      var (bytes, isWhole): ([UInt8], Bool) = ([], true)
      try forEachPiece(of: value, style: style, escaping: output.escapes) { piece in
        isWhole = isWhole && bytes.count + piece.count <= OutputFormat.longCount
        if isWhole { piece.withUnsafeBufferPointer { bytes += $0 } }
      }
      if isWhole { return try output.write(bytes) }
    }
    try output.whileRead { check in
      try forEachPiece(of: value, style: style, escaping: output.escapes) { piece in
        try output.write(piece.withUnsafeBufferPointer { Array($0) })
        try check()
      }
    }
  }

  /// Whether there are values that a format that is made in pieces cannot hold.
  private func mayRefuse(in style: OutputStyle) -> Bool {
    switch self {
    case .openstep, .json: true
    case .lines, .value: style != .macos
    case .flat, .tagged, .gnustep, .windowmaker, .xml, .binary: false
    }
  }

  /// How many bytes a text has that is printed as a whole.
  private static let longCount = 1 << 24

  /// Gives the text of a value in pieces; an error may come behind them.
  private func forEachPiece(
    of value: PropertyList, style: OutputStyle, escaping isEscaped: (Unicode.Scalar) -> Bool,
    _ body: (Span<UInt8>) throws -> Void
  ) throws {
    switch self {
    case .lines, .value:
      if style == .macos { return try MacOSDescription.forEachPiece(of: value, body) }
      switch value {
      case .array, .dictionary: try value.forEachTextPiece(style: .openStep, body)
      case .data(let bytes): try body(Array("<\(TaggedText.hexadecimal(bytes))>\n".utf8).span)
      case .string, .integer, .real, .float, .boolean, .date:
        try body(Array(((value.scalarText ?? "") + "\n").utf8).span)
      }
    case .flat:
      try value.forEachLeaf { path, leaf in
        try body(Array((DefaultLine.text(path: path, value: leaf, escaping: isEscaped) + "\n").utf8).span)
      }
    case .openstep: try value.forEachTextPiece(style: .openStep, body)
    case .json: try value.forEachJSONPiece(escaping: isEscaped, body)
    case .tagged: try TaggedText.forEachPiece(of: value, body)
    case .gnustep, .windowmaker, .xml, .binary:
      preconditionFailure("a file's format is checked as a whole")
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

extension FormatError {
  /// The error with what to do instead, if it is that a text of which a writer makes all is longer than asked for.
  func advisingPieces(beyond maximumCount: Int) -> FormatError {
    guard let propertyListError, propertyListError.isTooLong(for: maximumCount) else { return self }
    return FormatError("\(message); as OpenStep's text or as JSON it can be printed, piece by piece")
  }
}
