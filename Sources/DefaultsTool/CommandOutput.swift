/// The destination of a command's output and errors.
///
/// Standard output is buffered and written in large pieces; an error is written at once, after the output
/// before it.
package final class CommandOutput {
  /// Writes all of the bytes, or throws a ``StreamError``.
  package typealias Sink = ([UInt8]) throws -> Void

  private let standardOutput: Sink
  private let standardError: Sink
  private let outputIsTerminal: Bool
  private let errorsAreOnTerminal: Bool
  private var pending: [UInt8] = []
  /// Whether the terminal shows a line of progress.
  private var showsProgress = false
  private static let pieceSize = 1 << 16

  /// Makes an output of its two sinks.
  ///
  /// On a terminal, characters that could control it or mislead its reader are escaped; a file or a pipe gets
  /// the bytes.
  ///
  /// - Parameters:
  ///   - outputIsTerminal: Whether standard output is a terminal.
  ///   - errorsAreOnTerminal: Whether standard error is a terminal.
  package init(
    standardOutput: @escaping Sink, standardError: @escaping Sink, outputIsTerminal: Bool = false,
    errorsAreOnTerminal: Bool = false
  ) {
    self.standardOutput = standardOutput
    self.standardError = standardError
    self.outputIsTerminal = outputIsTerminal
    self.errorsAreOnTerminal = errorsAreOnTerminal
  }

  /// Whether standard output is a terminal.
  var isOnTerminal: Bool { outputIsTerminal }

  /// Whether a character of a name or value has to be escaped in a line of standard output.
  var escapes: (Unicode.Scalar) -> Bool {
    outputIsTerminal ? { $0.breaksLines || TerminalText.isEscaped($0) } : { $0.breaksLines }
  }

  /// Prints a text and a line end.
  func print(_ text: String) throws {
    try write(Array(text.utf8) + [UInt8(ascii: "\n")])
  }

  /// Prints bytes as they are.
  func write(_ bytes: [UInt8]) throws {
    pending.append(contentsOf: bytes)
    if pending.count >= CommandOutput.pieceSize { try flush() }
  }

  /// Writes what was printed so far.
  func flush() throws {
    guard !pending.isEmpty else { return }
    // Emptied first, so that a failed write is not tried again.
    let bytes = pending
    pending = []
    try clearProgress()
    try standardOutput(outputIsTerminal ? TerminalText.escaped(bytes) : bytes)
  }

  /// Reports an error as one line of standard error, and its excerpt on lines of its own.
  func report(_ error: CommandError) throws {
    try flush()
    try clearProgress()
    let excerpt = error.excerpt.isEmpty ? "" : error.excerpt + "\n"
    let hint = error.hint.map { "defaults: \($0.onOneLine)\n" } ?? ""
    try writeError("defaults: \(error.message.onOneLine)\n\(excerpt)\(hint)")
  }

  /// Prints a text on standard error.
  func printError(_ text: String) throws {
    try flush()
    try clearProgress()
    try writeError("\(text)\n")
  }

  private func writeError(_ text: String) throws {
    let bytes = Array(text.utf8)
    try standardError(errorsAreOnTerminal ? TerminalText.escaped(bytes) : bytes)
  }

  /// Shows the progress of a long command in one line, which the next output erases; on a terminal only.
  func showProgress(_ text: @autoclosure () -> String) throws {
    guard errorsAreOnTerminal else { return }
    try flush()
    try standardError(Array("\r\(text())\u{1B}[K".utf8))
    showsProgress = true
  }

  private func clearProgress() throws {
    guard showsProgress else { return }
    showsProgress = false
    try standardError(Array("\r\u{1B}[K".utf8))
  }
}

extension String {
  /// The text with each control character and line separator as `\u{…}`.
  ///
  /// A domain's or file's name may contain them; in a message they would break the line or control the
  /// terminal.
  var onOneLine: String {
    guard unicodeScalars.contains(where: \.breaksLines) else { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.breaksLines {
        text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }
}

extension Unicode.Scalar {
  /// Whether this is a control character, a line or paragraph separator, or a byte order mark.
  var breaksLines: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF: true
    default: false
    }
  }
}
