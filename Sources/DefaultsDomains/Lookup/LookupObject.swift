import OpenStepPropertyList
import Synchronization

/// A value as the object that programs see, kept so that only the first read of a container converts it.
final class LookupObject: Sendable {
  // Unchecked, because the object for a property list never changes: a string, a number, a date, data, or a
  // container of such.
  nonisolated(unsafe) let object: Any
  /// The object with the type that its getter returns, so that it need not be cast at every read.
  nonisolated(unsafe) private let typed: Typed
  /// What a reader has attached to the object.
  private let attached = Atomic<Unmanaged<any AnyObject & Sendable>?>(nil)

  private enum Typed {
    case dictionary([String: Any])
    case array([Any])
    case other
  }

  init(_ value: PropertyList, _ object: Any) {
    self.object = object
    typed =
      switch value {
      case .dictionary: (object as? [String: Any]).map { .dictionary($0) } ?? .other
      case .array: (object as? [Any]).map { .array($0) } ?? .other
      case .string, .data, .integer, .real, .float, .boolean, .date: .other
      }
  }

  deinit {
    attached.load(ordering: .acquiring)?.release()
  }

  /// The object if it is a dictionary.
  var dictionary: [String: Any]? {
    if case .dictionary(let dictionary) = typed { dictionary } else { nil }
  }

  /// The object if it is an array.
  var array: [Any]? {
    if case .array(let array) = typed { array } else { nil }
  }

  /// What is attached to the object already.
  var knownAttachment: (any AnyObject & Sendable)? {
    attached.load(ordering: .acquiring)?.takeUnretainedValue()
  }

  /// What is attached to the object; it is made if there is none, and only the first one is kept if several
  /// threads make it at the same time.
  func attachment(_ make: () -> any AnyObject & Sendable) -> any AnyObject & Sendable {
    if let knownAttachment { return knownAttachment }
    let made = Unmanaged.passRetained(make())
    let (isFirst, first) = attached.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard !isFirst, let first else { return made.takeUnretainedValue() }
    made.release()
    return first.takeUnretainedValue()
  }
}
