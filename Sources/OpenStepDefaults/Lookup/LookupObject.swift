/// A value as the object that programs see, kept so that only the first read of a container converts it.
final class LookupObject: Sendable {
  // What a property list becomes is never changed: strings, numbers, dates, data and containers of such.
  nonisolated(unsafe) let object: Any

  init(_ object: Any) {
    self.object = object
  }
}
