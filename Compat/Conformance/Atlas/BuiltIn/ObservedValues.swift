import DefaultsDatabase

/// The new values that the observer of a key has received.
final class ObservedValues: Sendable {
  private let values = Lock<[JSON]>([])

  var all: [JSON] { values.withLock { $0 } }

  func append(_ value: JSON) {
    values.withLock { $0.append(value) }
  }

  func removeAll() {
    values.withLock { $0 = [] }
  }
}
