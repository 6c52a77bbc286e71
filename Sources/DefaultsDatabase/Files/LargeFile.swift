/// A domain's file that exceeds ``FileSize/maximum``, open to be copied.
package struct LargeFile: Sendable {
  /// The file's path, for messages.
  package let path: String
  let descriptor: Int32
  let fileSystem: any FileSystem

  private static let pieceSize = 1 << 20

  /// A part of the file.
  package enum Part {
    case bytes([UInt8])
    /// So many bytes without a place on the disk, which read as zeros.
    case hole(Int)
  }

  /// The parts of the file, one after the other, up to the size that it has at the first look.
  package struct Parts {
    fileprivate let file: LargeFile
    fileprivate var size: Int
    private var offset = 0
    /// Where the bytes end that lie in no hole.
    private var dataEnd = 0

    fileprivate init(of file: LargeFile, size: Int) {
      (self.file, self.size) = (file, size)
    }

    /// The next part; nil at the end, and where the file was cut off meanwhile.
    package mutating func next() throws(SystemError) -> Part? {
      guard offset < size else { return nil }
      if offset == dataEnd {
        let start = offset
        let data = try file.data(from: offset, to: size) ?? size..<size
        // What has become a hole between the two questions is read as data.
        let end =
          data.isEmpty
          ? data.lowerBound + min(LargeFile.pieceSize, size - data.lowerBound) : data.upperBound
        (offset, dataEnd) = (data.lowerBound, end)
        _ = try file.fileSystem.seek(in: file.descriptor, to: .offset(offset))
        if offset > start { return .hole(offset - start) }
      }
      let count = min(dataEnd - offset, LargeFile.pieceSize)
      let piece = try file.fileSystem.read(from: file.descriptor, upTo: count)
      if piece.isEmpty {
        size = offset
        return nil
      }
      offset += piece.count
      return .bytes(piece)
    }
  }

  /// The parts of the file, from its beginning.
  package func parts() throws(SystemError) -> Parts {
    Parts(of: self, size: Int(try fileSystem.status(of: descriptor).size))
  }

  /// Copies all bytes into a pipe or a device, zeros for a hole.
  func copy(into target: Int32, of disk: any FileSystem) throws(SystemError) {
    var parts = try parts()
    while let part = try parts.next() {
      switch part {
      case .bytes(let piece): try disk.write(all: piece, to: target)
      case .hole(let count):
        for zeros in LargeFile.zeros(count) { try disk.write(all: zeros, to: target) }
      }
    }
  }

  /// Zeros for a hole, in pieces.
  package static func zeros(_ count: Int) -> some Sequence<[UInt8]> {
    stride(from: 0, to: count, by: pieceSize).lazy.map {
      [UInt8](repeating: 0, count: min(pieceSize, count - $0))
    }
  }

  /// Copies the file into a new, empty one, which has a hole where this one has.
  ///
  /// A hole can be larger than the disk: whoever may write the original would fill the disk of the copy.
  func copyWithHoles(into target: Int32, of disk: any FileSystem) throws(SystemError) {
    var parts = try parts()
    var end = 0
    while let part = try parts.next() {
      switch part {
      case .bytes(let piece):
        _ = try disk.seek(in: target, to: .offset(end))
        try disk.write(all: piece, to: target)
        end += piece.count
      case .hole(let count):
        end += count
      }
    }
    try disk.setSize(end, of: target)
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
