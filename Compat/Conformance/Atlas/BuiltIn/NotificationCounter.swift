import DefaultsDatabase
import Foundation
import OpenStepPropertyList

/// Counts the change notifications of all objects, under their name and under the older one.
final class NotificationCounter: Sendable {
  private struct State {
    var receiver: ObjectIdentifier
    var changes = 0
    var oldNames = 0
    var last = JSON.null
  }

  private let state: Lock<State>

  /// Starts counting; ``last`` tells whether a notification's object is the receiver.
  init(receiver: AnyObject) {
    state = Lock(State(receiver: ObjectIdentifier(receiver)))
    let center = NotificationCenter.default
    let changed = Notification.Name("NSUserDefaultsDidChangeNotification")
    _ = center.addObserver(forName: changed, object: nil, queue: nil) { [self] notification in
      state.withLock {
        $0.changes += 1
        $0.last = NotificationCounter.describe(notification, receiver: $0.receiver)
      }
    }
    let oldName = Notification.Name("NSUserDefaultsChanged")
    _ = center.addObserver(forName: oldName, object: nil, queue: nil) { [self] _ in
      state.withLock { $0.oldNames += 1 }
    }
  }

  /// Sets the object that is the receiver from now on.
  func setReceiver(_ receiver: AnyObject) {
    let identifier = ObjectIdentifier(receiver)
    state.withLock { $0.receiver = identifier }
  }

  func startAtZero() {
    state.withLock { ($0.changes, $0.oldNames, $0.last) = (0, 0, .null) }
  }

  var changes: Int { state.withLock { $0.changes } }
  var oldNames: Int { state.withLock { $0.oldNames } }
  var last: JSON { state.withLock { $0.last } }

  private static func describe(_ notification: Notification, receiver: ObjectIdentifier) -> JSON {
    let object = notification.object.map { ObjectIdentifier($0 as AnyObject) }
    let entries: [PropertyListKey: JSON] = [
      "name": .string(notification.name.rawValue),
      "object": .string(object == nil ? "nil" : object == receiver ? "receiver" : "other"),
      "userInfo": notification.userInfo == nil ? .null : .tagged("d", .object([:])),
      "thread": .string(Thread.isMainThread ? "main" : "other"),
    ]
    return .tagged("d", .object(entries))
  }
}
