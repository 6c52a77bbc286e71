import DefaultsDatabase

/// The destination of a command's output and errors.
///
/// Standard output is buffered and written in large pieces; an error is written at once, after the output
/// before it.
package final class CommandOutput {
  /// Writes all of the bytes, or throws a ``StreamError``.
  package typealias Sink = ([UInt8]) throws -> Void

  /// Leaves a hole of so many bytes; false where the bytes are to be written.
  package typealias Skip = (Int) throws -> Bool

  private let standardOutput: Sink
  private let standardError: Sink
  private let skip: Skip
  private let outputIsTerminal: Bool
  private let errorsAreOnTerminal: Bool
  private let allowsColours: Bool
  /// How many columns the terminal of standard output has; nil for no terminal, and for one that does not tell.
  let width: Int?
  /// What was printed and not yet escaped for a terminal, behind ``ready``.
  private var pending: [UInt8] = []
  /// What is ready to be written.
  private var ready: [UInt8] = []
  /// Whether a failure of standard output waits until the command is done.
  private var finishesFirst = false
  /// Why standard output could not be written.
  private var failure: (any Error)?
  /// Whether the reader of standard output has gone, and what is printed is dropped.
  var isClosed: Bool { failure as? StreamError == .closed }
  /// Whether the terminal shows a line of progress.
  private var showsProgress = false
  /// When progress may be shown next.
  private var nextProgress: MonotonicTime
  private static let pieceSize = 1 << 16

  /// Makes an output of its two sinks.
  ///
  /// On a terminal, characters that could control it or mislead its reader are escaped; a file or a pipe gets
  /// the bytes.
  ///
  /// - Parameters:
  ///   - skip: Leaves a hole in standard output, if it can.
  ///   - outputIsTerminal: Whether standard output is a terminal.
  ///   - errorsAreOnTerminal: Whether standard error is a terminal.
  ///   - allowsColours: Whether a terminal may be sent the codes of colours.
  ///   - width: How many columns the terminal of standard output has.
  ///   - progressDelay: For how many seconds no progress is shown.
  package init(
    standardOutput: @escaping Sink, standardError: @escaping Sink, skip: @escaping Skip = { _ in false },
    outputIsTerminal: Bool = false, errorsAreOnTerminal: Bool = false, allowsColours: Bool = false,
    width: Int? = nil, progressDelay: Double = 1
  ) {
    self.skip = skip
    self.standardOutput = standardOutput
    self.standardError = standardError
    self.outputIsTerminal = outputIsTerminal
    self.errorsAreOnTerminal = errorsAreOnTerminal
    self.allowsColours = allowsColours
    self.width = width
    nextProgress = .now + progressDelay
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

  /// Prints a text and a line end, in a colour where the terminal may have colours.
  func print(_ text: String, in colour: TerminalColour) throws {
    guard outputIsTerminal, allowsColours else { return try print(text) }
    makeReady()
    ready += colour.text(TerminalText.escaped(Array(text.utf8)))
    try print("")
  }

  /// Refuses to print a binary file on a terminal, where its bytes would be shown as escapes.
  ///
  /// - Parameter advice: What is to be done instead, as a clause.
  func refuseTerminal(_ advice: String) throws(CommandError) {
    guard outputIsTerminal else { return }
    throw CommandError(.refused, "a binary file is not printed on a terminal; \(advice); nothing was printed")
  }

  /// Prints bytes as they are.
  func write(_ bytes: [UInt8]) throws {
    pending.append(contentsOf: bytes)
    if pending.count >= CommandOutput.pieceSize { try flush() }
  }

  /// Prints a hole of a file: zeros, if standard output can have none.
  func writeHole(_ count: Int) throws {
    try flush()
    if try skip(count) { return }
    for zeros in LargeFile.zeros(count) {
      if isClosed { return }
      try write(zeros)
    }
  }

  /// Writes what was printed so far.
  ///
  /// It is no failure that the reader needs no more: the command goes on, and its exit code says what it has found.
  func flush() throws {
    makeReady()
    guard !ready.isEmpty else { return }
    // Emptied first, so that a failed write is not tried again.
    let bytes = ready
    ready = []
    clearProgress()
    guard failure == nil else { return }
    do {
      try standardOutput(bytes)
    } catch {
      guard finishesFirst || error as? StreamError == .closed else { throw error }
      failure = error
    }
  }

  /// Marks that the reader has gone; never leaves this type.
  private struct EndOfReading: Error {}

  /// Runs a body that prints very many lines, and ends it early where nobody reads them any more.
  ///
  /// - Parameter body: Calls what it receives behind each line.
  func whileRead(_ body: (_ check: () throws -> Void) throws -> Void) throws {
    do {
      try body { if isClosed { throw EndOfReading() } }
    } catch is EndOfReading {
      // What follows is dropped.
    }
  }

  /// From now on a failure of standard output ends nothing; ``end()`` tells of it.
  ///
  /// It is for a command that changes one domain after the other: a full disk must not end it halfway.
  func finishFirst() { finishesFirst = true }

  /// Writes what is left, when the command is done.
  ///
  /// - Throws: why standard output could not be written.
  func end() throws {
    try flush()
    clearProgress()
    if let failure, !isClosed { throw failure }
  }

  private func makeReady() {
    ready += outputIsTerminal ? TerminalText.escaped(pending) : pending
    pending = []
  }

  /// Reports an error as one line of standard error, and its excerpt on lines of its own.
  ///
  /// Only the beginning of what the message quotes is printed if that is long.
  func report(_ error: CommandError) throws {
    // The message counts more than output that cannot be written.
    let flushed = Result { try flush() }
    clearProgress()
    writeError("defaults: \(error.message.messageLine)\n")
    if !error.excerpt.isEmpty { writeExcerpt(error.excerpt) }
    if let hint = error.hint { writeError("defaults: \(hint.messageLine)\n") }
    try flushed.get()
  }

  /// Reports what a person may have meant differently; a script has meant what it says.
  func hint(_ text: String) throws {
    if errorsAreOnTerminal { try report(CommandError(.done, text)) }
  }

  /// Prints a text on standard error.
  func printError(_ text: String) throws {
    try flush()
    clearProgress()
    writeError("\(text)\n")
  }

  /// Tells a person at the terminal something that a log need not have.
  func tellPerson(_ text: @autoclosure () -> String) throws {
    if errorsAreOnTerminal { try printError("defaults: \(text().messageLine)") }
  }

  /// Prints a source line and the line with its caret.
  private func writeExcerpt(_ excerpt: String) {
    guard errorsAreOnTerminal, allowsColours, let lineEnd = excerpt.utf8.lastIndex(of: UInt8(ascii: "\n"))
    else {
      return writeError("\(excerpt)\n")
    }
    writeError(String(excerpt[...lineEnd]))
    let caret = Array(excerpt[excerpt.utf8.index(after: lineEnd)...].utf8)
    writeToError(TerminalColour.caret.text(TerminalText.escaped(caret)) + [UInt8(ascii: "\n")])
  }

  private func writeError(_ text: String) {
    let bytes = Array(text.utf8)
    writeToError(errorsAreOnTerminal ? TerminalText.escaped(bytes) : bytes)
  }

  /// A message that cannot be written ends no work; the exit code tells the kind of error all the same.
  private func writeToError(_ bytes: [UInt8]) {
    try? standardError(bytes)
  }

  /// Shows the progress of a command that takes long in one line, which the next output erases;
  /// on a terminal only.
  func showProgress(_ text: @autoclosure () -> String) throws {
    guard errorsAreOnTerminal, MonotonicTime.now >= nextProgress else { return }
    try flush()
    nextProgress = .now + 0.1
    writeToError(Array("\r".utf8) + TerminalText.escaped(Array(text().utf8)) + Array("\u{1B}[K".utf8))
    showsProgress = true
  }

  private func clearProgress() {
    guard showsProgress else { return }
    showsProgress = false
    writeToError(Array("\r\u{1B}[K".utf8))
  }
}
