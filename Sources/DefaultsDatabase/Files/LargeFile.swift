/// A domain's file that exceeds ``FileSize/maximum``, open to be copied.
package struct LargeFile: Sendable {
  /// The file's path, for messages.
  package let path: String
  let descriptor: Int32
  let fileSystem: any FileSystem

  private static let pieceSize = 1 << 20

  /// The next bytes, zeros for a hole; nil at the end.
  package func nextPiece() throws(SystemError) -> [UInt8]? {
    let piece = try fileSystem.read(from: descriptor, upTo: LargeFile.pieceSize)
    return piece.isEmpty ? nil : piece
  }

  /// Copies all bytes into a pipe or a device.
  func copy(into target: Int32, of disk: any FileSystem) throws(SystemError) {
    while let piece = try nextPiece() { try disk.write(all: piece, to: target) }
  }

  /// Copies the file into a new, empty one, which has a hole where this one has.
  ///
  /// A hole can be larger than the disk: whoever may write the original would fill the disk of the copy.
  func copyWithHoles(into target: Int32, of disk: any FileSystem) throws(SystemError) {
    var size = Int(try fileSystem.status(of: descriptor).size)
    var offset = 0
    while let data = try data(from: offset, to: size) {
      offset = data.lowerBound
      _ = try fileSystem.seek(in: descriptor, to: .offset(offset))
      _ = try disk.seek(in: target, to: .offset(offset))
      while offset < data.upperBound {
        let count = min(data.upperBound - offset, LargeFile.pieceSize)
        let piece = try fileSystem.read(from: descriptor, upTo: count)
        if piece.isEmpty {
          // It was cut off meanwhile.
          size = offset
          break
        }
        try disk.write(all: piece, to: target)
        offset += piece.count
      }
    }
    try disk.setSize(size, of: target)
  }

  /// The first bytes from an offset on, and before an end, that lie in no hole; nil if there are none.
  private func data(from offset: Int, to end: Int) throws(SystemError) -> Range<Int>? {
    guard offset < end else { return nil }
    do throws(SystemError) {
      guard let start = try fileSystem.seek(in: descriptor, to: .data(from: offset)), start < end else {
        return nil
      }
      let hole = try fileSystem.seek(in: descriptor, to: .hole(from: start)) ?? end
      return start..<min(hole, end)
    } catch SystemError.invalidArgument {
      // Where the file system knows no holes, all is data.
      return offset..<end
    }
  }

  /// Closes the file.
  package func close() {
    fileSystem.close(descriptor)
  }
}
