import OpenStepPropertyList

/// A value as the object that programs see, kept so that only the first read of a container converts it.
final class LookupObject: Sendable {
  // What a property list becomes is never changed: strings, numbers, dates, data and containers of such.
  nonisolated(unsafe) let object: Any
  /// The object if it is a dictionary, so that it need not be cast at every read.
  nonisolated(unsafe) let dictionary: [String: Any]?
  /// The object if it is an array.
  nonisolated(unsafe) let array: [Any]?

  init(_ value: PropertyList, _ object: Any) {
    self.object = object
    switch value {
    case .dictionary: (dictionary, array) = (object as? [String: Any], nil)
    case .array: (dictionary, array) = (nil, object as? [Any])
    default: (dictionary, array) = (nil, nil)
    }
  }
}
