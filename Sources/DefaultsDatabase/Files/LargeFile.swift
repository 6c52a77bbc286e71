/// A domain's file that exceeds ``FileSize/maximum``, open to be copied.
package struct LargeFile: Sendable {
  /// The file's path, for messages.
  package let path: String
  let descriptor: Int32
  let fileSystem: any FileSystem

  private static let pieceSize = 1 << 20

  /// The next bytes; nil at the end.
  package func nextPiece() throws(SystemError) -> [UInt8]? {
    let piece = try fileSystem.read(from: descriptor, upTo: LargeFile.pieceSize)
    return piece.isEmpty ? nil : piece
  }

  /// Closes the file.
  package func close() {
    fileSystem.close(descriptor)
  }
}
