import DefaultsDatabase
import Foundation

/// The process's own streams, and the files named on its command line.
package enum StandardStreams {
  /// What a command prints goes to the process's standard output and standard error.
  package static func output() -> CommandOutput {
    CommandOutput(
      standardOutput: { try write($0, to: .standardOutput) },
      standardError: { try write($0, to: .standardError) },
      isTerminal: CurrentProcess.isTerminal(FileHandle.standardError.fileDescriptor))
  }

  /// Reads the process's standard input to its end.
  package static func readInput() throws -> [UInt8] {
    try read(.standardInput)
  }

  /// Reads a file, or whatever else has a path and can be read to its end.
  static func readFile(_ path: String) throws -> [UInt8] {
    if path.isEmpty { throw StreamError.failed("the name of a file is empty") }
    // A URL of a relative path drops "name/..", which is another file where that name is a symbolic link.
    let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: absolute))
      defer { try? file.close() }
      return try read(file)
    } catch let error as StreamError {
      throw error
    } catch {
      throw StreamError(error)
    }
  }

  private static func read(_ handle: FileHandle) throws -> [UInt8] {
    do {
      return Array(try handle.readToEnd() ?? Data())
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
