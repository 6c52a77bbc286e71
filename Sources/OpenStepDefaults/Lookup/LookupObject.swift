import Foundation
import OpenStepPropertyList
import Synchronization

/// A value as the object that programs see, kept so that only the first read of a container converts it.
final class LookupObject: Sendable {
  // What a property list becomes is never changed: strings, numbers, dates, data and containers of such.
  nonisolated(unsafe) let object: Any
  /// The object as the type of the getter that gives it, so that it need not be cast at every read.
  nonisolated(unsafe) private let typed: Typed
  /// The URL that data was read as, once someone asked for it.
  private let readURL = Atomic<Unmanaged<ReadURL>?>(nil)

  private enum Typed {
    case dictionary([String: Any])
    case array([Any])
    case data(Data)
    case other
  }

  /// What reading data as a URL came to.
  private final class ReadURL: Sendable {
    let url: URL?

    init(_ url: URL?) {
      self.url = url
    }
  }

  init(_ value: PropertyList, _ object: Any) {
    self.object = object
    typed =
      switch value {
      case .dictionary: (object as? [String: Any]).map { .dictionary($0) } ?? .other
      case .array: (object as? [Any]).map { .array($0) } ?? .other
      case .data: (object as? Data).map { .data($0) } ?? .other
      case .string, .integer, .real, .float, .boolean, .date: .other
      }
  }

  deinit {
    readURL.load(ordering: .acquiring)?.release()
  }

  /// The object if it is a dictionary.
  var dictionary: [String: Any]? {
    if case .dictionary(let dictionary) = typed { dictionary } else { nil }
  }

  /// The object if it is an array.
  var array: [Any]? {
    if case .array(let array) = typed { array } else { nil }
  }

  /// The object if it is data.
  var data: Data? {
    if case .data(let data) = typed { data } else { nil }
  }

  /// What a reader makes of the value's bytes; it is called once, or by several threads that ask at the same moment.
  func url(in bytes: [UInt8], _ read: ([UInt8]) -> URL?) -> URL? {
    if let known = readURL.load(ordering: .acquiring) { return known._withUnsafeGuaranteedRef { $0.url } }
    let made = Unmanaged.passRetained(ReadURL(read(bytes)))
    let (isFirst, first) = readURL.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard !isFirst, let first else { return made._withUnsafeGuaranteedRef { $0.url } }
    made.release()
    return first._withUnsafeGuaranteedRef { $0.url }
  }
}
