import DefaultsFoundation
import Foundation
import Synchronization

/// Stored data as Foundation's type, with the URL that was read from it, if any reader asked for it.
final class ReadData: Sendable {
  let data: Data
  private let bytes: [UInt8]
  private let readURL = Atomic<Unmanaged<ReadURL>?>(nil)

  /// The result of reading the data as a URL.
  private final class ReadURL: Sendable {
    let url: URL?

    init(_ url: URL?) {
      self.url = url
    }
  }

  /// - Parameter object: The data as an object, which shares its memory with the objects of earlier reads.
  init(_ bytes: [UInt8], _ object: Any) {
    self.bytes = bytes
    data = object as? Data ?? Data(bytes)
  }

  deinit {
    readURL.load(ordering: .acquiring)?.release()
  }

  /// The URL in the archive that the data is; nil for other data.
  ///
  /// Parsing an archive takes twenty times as long as the lookup. It is done once, or by each of several
  /// threads that ask at the same moment: the first result is kept (compare-and-swap).
  var archivedURL: URL? {
    if let known = readURL.load(ordering: .acquiring) { return known._withUnsafeGuaranteedRef { $0.url } }
    let made = Unmanaged.passRetained(ReadURL(URLArchive.url(in: bytes)))
    let (isFirst, first) = readURL.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard !isFirst, let first else { return made._withUnsafeGuaranteedRef { $0.url } }
    made.release()
    return first._withUnsafeGuaranteedRef { $0.url }
  }
}
