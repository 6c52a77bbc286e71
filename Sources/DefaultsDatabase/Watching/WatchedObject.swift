import OpenStepPropertyList

/// A directory or symbolic link that the system watches, and on whose behalf it does; used under the service's lock.
final class WatchedObject {
  /// A database's wish to be told of a place.
  final class Subscription: Sendable {
    /// The system's number for what lies at the place.
    let number: Int32
    let place: WatchedPlace
    let watch: DatabaseWatch
    let group: DatabaseWatch.Group

    init(of number: Int32, place: WatchedPlace, for watch: DatabaseWatch, in group: DatabaseWatch.Group) {
      (self.number, self.place, self.watch, self.group) = (number, place, watch, group)
    }
  }

  private typealias Subscriptions = [ObjectIdentifier: Subscription]

  /// Those that entries of one name concern, by the name.
  private var byName: [PropertyListKey: Subscriptions] = [:]
  /// Those that every entry may concern.
  private var ofEntries: Subscriptions = [:]
  /// Those that entries do not concern.
  private var ofItself: Subscriptions = [:]
  /// For what the system watches it, which grows only.
  private var interest = DirectoryEvents.Interest.itself
  /// How many want each interest.
  private var counts: [DirectoryEvents.Interest: Int] = [:]

  var isEmpty: Bool { byName.isEmpty && ofEntries.isEmpty && ofItself.isEmpty }

  var all: [Subscription] {
    Array(ofEntries.values) + Array(ofItself.values) + byName.values.flatMap(\.values)
  }

  /// Whether it is watched for more than anybody wants by now.
  var isWatchedForMore: Bool { counts[interest] == nil }

  func add(_ subscription: Subscription) {
    let new = subscription.place.interest
    interest = max(interest, new)
    counts[new, default: 0] += 1
    set(subscription, for: subscription)
  }

  func remove(_ subscription: Subscription) {
    let old = subscription.place.interest
    counts[old] = counts[old].flatMap { $0 > 1 ? $0 - 1 : nil }
    set(nil, for: subscription)
  }

  private func set(_ new: Subscription?, for subscription: Subscription) {
    let identifier = ObjectIdentifier(subscription)
    switch subscription.place.reason {
    case .step:
      ofItself[identifier] = new
    case .database:
      ofEntries[identifier] = new
    case .parent(let name), .holder(let name):
      let name = PropertyListKey(name)
      byName[name, default: [:]][identifier] = new
      if byName[name]?.isEmpty ?? false { byName[name] = nil }
    }
  }

  /// Those that an entry concerns, by its name; nil where the system tells none.
  func subscriptions(concernedBy name: String?) -> [Subscription] {
    guard let name else { return Array(ofEntries.values) + byName.values.flatMap(\.values) }
    let named = byName[PropertyListKey(name)].map { Array($0.values) } ?? []
    return named + ofEntries.values.filter { $0.place.concerns(name) }
  }
}
