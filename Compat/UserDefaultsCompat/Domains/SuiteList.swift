import DefaultsDatabase
import DefaultsDomains

/// The suites that an object searches, in the order in which they were added.
///
/// A removed suite leaves a tombstone, and the tombstones are removed when they make up half of the list, so
/// that adding or removing a suite takes amortized constant time.
struct SuiteList {
  private var slots: [PersistentDomain?] = []
  private var places: [DomainName: Int] = [:]

  /// The suites in order. O(n).
  var domains: [PersistentDomain] { slots.compactMap { $0 } }

  /// Appends a suite; false if the list contains it already.
  mutating func append(_ suite: PersistentDomain) -> Bool {
    guard places[suite.name] == nil else { return false }
    places[suite.name] = slots.count
    slots.append(suite)
    return true
  }

  /// Removes the suite of a name; nil if there is none.
  mutating func remove(_ name: DomainName) -> PersistentDomain? {
    guard let place = places.removeValue(forKey: name) else { return nil }
    let suite = slots[place]
    slots[place] = nil
    if slots.count >= 16, places.count < slots.count / 2 {
      slots.removeAll { $0 == nil }
      for (place, suite) in slots.enumerated() {
        if let suite { places[suite.name] = place }
      }
    }
    return suite
  }
}
