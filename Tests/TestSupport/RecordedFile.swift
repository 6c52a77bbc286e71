/// A file's bytes on an imaginary disk.
package struct RecordedFile: Hashable, Sendable {
  /// What processes read.
  package var live: [UInt8]
  /// What was there at the last flush.
  private(set) var durable: [UInt8]

  /// Makes a file whose bytes are on stable storage.
  init(durable bytes: [UInt8]) {
    live = bytes
    durable = bytes
  }

  var isDirty: Bool { live != durable }

  mutating func flush() {
    durable = live
  }

  mutating func write(_ bytes: some Collection<UInt8>, at offset: Int) {
    if live.count < offset + bytes.count {
      live += [UInt8](repeating: 0, count: offset + bytes.count - live.count)
    }
    live.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }

  /// The file as a loss of power may leave it: with the flushed bytes, none, a part, zeros, or all.
  ///
  /// Without a flush the length and the blocks reach the disk in any order, so zeros may stand for
  /// what was not written yet. What was flushed before bytes were added behind it stays.
  var afterPowerCut: [RecordedFile] {
    guard isDirty else { return [self] }
    let kept = live.starts(with: durable) ? durable.count : 0
    let zeros = [UInt8](repeating: 0, count: live.count)
    let half = kept + (live.count - kept) / 2
    var outcomes: [[UInt8]] = [durable, live, Array(live[..<kept] + zeros[kept...])]
    outcomes.append(Array(live[..<half] + zeros[half...]))
    outcomes += (kept..<live.count).map { Array(live[..<$0]) }
    return Set(outcomes).map(RecordedFile.init(durable:))
  }

  /// The file if nothing of what was not flushed reached the disk.
  var withoutUnflushed: RecordedFile { RecordedFile(durable: durable) }

  /// The file if everything reached the disk.
  var withUnflushed: RecordedFile { RecordedFile(durable: live) }
}
