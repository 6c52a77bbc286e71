import OpenStepPropertyList

/// A directory or symbolic link that the system watches, with its subscriptions; used
/// under the service's lock.
final class WatchedObject {
  /// A database's subscription to the events of one place.
  final class Subscription: Sendable {
    /// The system's number for the watched object.
    let number: Int32
    let place: WatchedPlace
    let watch: DatabaseWatch
    let group: DatabaseWatch.Group

    init(of number: Int32, place: WatchedPlace, for watch: DatabaseWatch, in group: DatabaseWatch.Group) {
      (self.number, self.place, self.watch, self.group) = (number, place, watch, group)
    }
  }

  private typealias Subscriptions = [ObjectIdentifier: Subscription]

  /// The subscriptions to entries of one name, by that name.
  private var byName = [PropertyListKey: Subscriptions]()
  /// The subscriptions to all entries.
  private var ofEntries: Subscriptions = [:]
  /// The subscriptions to the object itself, without its entries.
  private var ofItself: Subscriptions = [:]
  /// The events that the system reports for it; never reduced.
  private var interest = DirectoryEvents.Interest.itself
  /// How many subscriptions want each interest.
  private var counts = [DirectoryEvents.Interest: Int]()

  var isEmpty: Bool { byName.isEmpty && ofEntries.isEmpty && ofItself.isEmpty }

  var all: [Subscription] {
    Array(ofEntries.values) + Array(ofItself.values) + byName.values.flatMap(\.values)
  }

  /// Whether the system reports more than any subscription still wants.
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
    case .step, .link:
      ofItself[identifier] = new
    case .database:
      ofEntries[identifier] = new
    case .parent(let name), .holder(let name):
      let name = PropertyListKey(name)
      byName[name, default: [:]][identifier] = new
      if byName[name]?.isEmpty ?? false { byName[name] = nil }
    }
  }

  /// The subscriptions that an entry's event concerns; the name is nil where the system reports none.
  func subscriptions(concernedBy name: String?) -> [Subscription] {
    guard let name else { return Array(ofEntries.values) + byName.values.flatMap(\.values) }
    let named = byName[PropertyListKey(name)].map { Array($0.values) } ?? []
    return named + ofEntries.values.filter { $0.place.concerns(name) }
  }
}
