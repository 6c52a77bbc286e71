import DefaultsDatabase

/// Files that are too large to be read, which are copied.
extension CommandOutput {
  /// Prints a file's bytes, as long as somebody reads them.
  func write(_ file: LargeFile) throws {
    func reading<Result>(_ body: () throws(SystemError) -> Result) throws(CommandError) -> Result {
      do throws(SystemError) {
        return try body()
      } catch {
        throw CommandError(.inputOutput, "\(file.path): cannot be read: \(error)")
      }
    }
    var parts = try reading { () throws(SystemError) in try file.parts() }
    while !isClosed, let part = try reading({ () throws(SystemError) in try parts.next() }) {
      switch part {
      case .bytes(let bytes): try write(bytes)
      case .hole(let count): try writeHole(count)
      }
    }
  }

  /// Tells that a file was copied as it is, since it cannot be read.
  func tellOfCopy(of file: LargeFile) throws {
    try report(
      CommandError(
        .done,
        "\(file.path): is larger than \(FileSize.maximum) bytes and cannot be read; its bytes were copied as they are"
      ))
  }
}
