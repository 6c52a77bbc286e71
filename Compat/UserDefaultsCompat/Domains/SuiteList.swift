import DefaultsDatabase
import DefaultsDomains

/// The suites that an object searches, in the order in which they were added.
///
/// Adding or removing a suite takes amortized constant time.
struct SuiteList {
  private var order = LinkedPlaces()
  /// The suite at each place, the first at place 1; nil where one was removed.
  private var suites: [PersistentDomain?] = [nil]
  private var places: [DomainName: Int] = [:]

  var count: Int { order.count }

  /// The suites in order. O(n).
  var domains: [PersistentDomain] { order.all.compactMap { suites[$0] } }

  /// Calls a body with the suites in order until it returns false.
  ///
  /// - Returns: Whether the body was called with all.
  func visit(_ body: (PersistentDomain) -> Bool) -> Bool {
    var place = order.place(behind: LinkedPlaces.end)
    while let suite = suites[place] {
      guard body(suite) else { return false }
      place = order.place(behind: place)
    }
    return true
  }

  /// Appends a suite; false if the list contains it already.
  mutating func append(_ suite: PersistentDomain) -> Bool {
    guard places[suite.name] == nil else { return false }
    let place = order.add(behind: order.last)
    if place == suites.count { suites.append(suite) } else { suites[place] = suite }
    places[suite.name] = place
    return true
  }

  /// Removes the suite of a name; nil if there is none.
  mutating func remove(_ name: DomainName) -> PersistentDomain? {
    guard let place = places.removeValue(forKey: name) else { return nil }
    let suite = suites[place]
    suites[place] = nil
    order.remove(place)
    return suite
  }
}
