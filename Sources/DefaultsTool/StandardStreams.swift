import CDefaultsTerminal
import DefaultsDatabase

/// Asks a person a question, and gives the line that was answered; nil at the end of input.
package typealias Question = (_ text: String) throws -> String?

/// The process's own streams, and the files named on its command line.
package enum StandardStreams {
  /// An output that writes to the process's standard output and standard error.
  package static func output() -> CommandOutput {
    CommandOutput(
      standardOutput: { try write($0, to: CurrentProcess.standardOutput) },
      standardError: { try write($0, to: CurrentProcess.standardError) },
      skip: { count in
        do throws(SystemError) {
          return try CurrentProcess.skipOutput(by: count)
        } catch {
          throw StreamError(ofWriting: error)
        }
      },
      outputIsTerminal: CurrentProcess.isTerminal(CurrentProcess.standardOutput),
      errorsAreOnTerminal: CurrentProcess.isTerminal(CurrentProcess.standardError),
      allowsColours: allowsColours, width: width)
  }

  /// Whether the user wants colours, and the terminal knows them.
  ///
  /// An empty `NO_COLOR` does not count, as no-color.org has it.
  private static var allowsColours: Bool {
    guard CurrentProcess.preference("NO_COLOR")?.isEmpty ?? true else { return false }
    let terminal = CurrentProcess.preference("TERM") ?? ""
    return !terminal.isEmpty && terminal != "dumb"
  }

  /// How many columns the terminal of standard output has; nil if there is none, or if it does not tell.
  private static var width: Int? {
    let width = Int(cterminal_width(CurrentProcess.standardOutput))
    return width > 0 ? width : nil
  }

  /// Asks a person on the process's terminal; nil unless standard input and standard error are one.
  static var question: Question? {
    guard CurrentProcess.isTerminal(CurrentProcess.standardInput),
      CurrentProcess.isTerminal(CurrentProcess.standardError)
    else { return nil }
    return { question in
      try write(Array("\(question) ".utf8), to: CurrentProcess.standardError)
      return try readLine()
    }
  }

  /// Reads a line of standard input, and nothing behind it; nil at the end of input.
  private static func readLine() throws -> String? {
    var line: [UInt8] = []
    do throws(SystemError) {
      while let byte = try DiskFileSystem().read(from: CurrentProcess.standardInput, upTo: 1).first {
        if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
      }
    } catch {
      throw StreamError(ofReading: error)
    }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  /// Reads the process's standard input to its end.
  package static func readInput() throws -> [UInt8] {
    do throws(SystemError) {
      return try DiskFileSystem().contents(of: CurrentProcess.standardInput)
    } catch {
      throw StreamError(ofReading: error)
    }
  }

  /// Reads a file, a pipe or a device to its end.
  ///
  /// - Parameter takesPipes: Whether anything but a regular file is read.
  static func readFile(_ path: String, takingPipes takesPipes: Bool = true) throws -> [UInt8] {
    if path.isEmpty { throw StreamError.failed("the name of a file is empty") }
    do throws(SystemError) {
      return try DiskFileSystem().contents(ofFileOrPipe: path, takingPipes: takesPipes)
    } catch {
      if let reason = DiskFileSystem().reason(forReading: path, error) { throw StreamError.failed(reason) }
      throw StreamError(ofReading: error)
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    do throws(SystemError) {
      try DiskFileSystem().write(all: bytes, to: descriptor)
    } catch {
      throw StreamError(ofWriting: error)
    }
  }
}

/// A stream or a file that could not be read or written.
package enum StreamError: Error, Hashable {
  /// The reader has closed the output, as in `defaults read | head -1`.
  case closed
  /// The system's reason.
  case failed(String)

  /// Describes an error of reading.
  init(ofReading error: SystemError) {
    let reason =
      switch error {
      case .tooLarge: "is larger than \(FileSize.maximum) bytes, and nothing larger is read"
      default: error.description
      }
    self = .failed(reason)
  }

  /// Describes an error of writing.
  init(ofWriting error: SystemError) {
    self = error == .brokenPipe ? .closed : .failed(error.description)
  }
}
