import DefaultsDatabase
import Foundation

/// The process's own streams, and the files named on its command line.
package enum StandardStreams {
  /// What a command prints goes to the process's standard output and standard error.
  package static func output() -> CommandOutput {
    CommandOutput(
      standardOutput: { try write($0, to: .standardOutput) },
      standardError: { try write($0, to: .standardError) },
      outputIsTerminal: CurrentProcess.isTerminal(FileHandle.standardOutput.fileDescriptor),
      errorsAreOnTerminal: CurrentProcess.isTerminal(FileHandle.standardError.fileDescriptor))
  }

  /// Reads the process's standard input to its end.
  package static func readInput() throws -> [UInt8] {
    do throws(SystemError) {
      return try DiskFileSystem().contents(of: FileHandle.standardInput.fileDescriptor)
    } catch {
      throw StreamError(error)
    }
  }

  /// Reads a file, or whatever else has a path and can be read to its end.
  static func readFile(_ path: String) throws -> [UInt8] {
    if path.isEmpty { throw StreamError.failed("the name of a file is empty") }
    let disk = DiskFileSystem()
    do throws(SystemError) {
      let descriptor = try disk.open(path, for: .readingThrough)
      defer { disk.close(descriptor) }
      return try disk.contents(of: descriptor)
    } catch {
      throw StreamError(error)
    }
  }

  private static func write(_ bytes: [UInt8], to handle: FileHandle) throws {
    do {
      try handle.write(contentsOf: Data(bytes))
    } catch {
      throw StreamError(error)
    }
  }
}

/// A stream or a file that could not be read or written.
package enum StreamError: Error, Hashable {
  /// Nobody reads the output any more, as with `defaults read | head -1`.
  case closed
  /// The system's reason.
  case failed(String)

  /// The reason as a clause.
  var reason: String {
    switch self {
    case .closed: "nobody reads it any more"
    case .failed(let reason): reason
    }
  }

  /// Puts an error of reading into words.
  init(_ error: SystemError) {
    self = .failed(
      error == .tooLarge
        ? "is larger than \(FileSize.maximum) bytes, and nothing larger is read" : error.description)
  }

  /// Finds the system's reason in an error of Foundation, which wraps it in a less telling one.
  init(_ error: any Error) {
    let reason = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
    if reason.domain == NSPOSIXErrorDomain && reason.code == Int(POSIXErrorCode.EPIPE.rawValue) {
      self = .closed
    } else {
      self = .failed(reason.localizedFailureReason ?? reason.localizedDescription)
    }
  }
}
