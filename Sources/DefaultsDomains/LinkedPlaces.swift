/// An order of places, of which each may be removed, and one may be added behind any other, in constant time.
///
/// A doubly linked list in two arrays. It has numbers only: its owner has arrays of its own with what is at each
/// place. A place keeps its number until it is removed; then another one may get it.
package struct LinkedPlaces: Sendable {
  /// The places behind and in front of each place, and at ``end`` the first and the last one. A removed place leads
  /// to the one that was removed before it.
  private var next = [LinkedPlaces.end]
  private var previous = [LinkedPlaces.end]
  private var lastRemoved = LinkedPlaces.end
  package private(set) var count = 0

  /// What is behind the last place and in front of the first one.
  package static var end: Int { 0 }

  package init() {}

  /// The place behind another one; the first one behind ``end``, and ``end`` behind the last one.
  package func place(behind place: Int) -> Int { next[place] }

  /// The last place; ``end`` if there is none.
  package var last: Int { previous[LinkedPlaces.end] }

  /// The places in order. O(n).
  package var all: [Int] {
    var (all, place) = ([Int](), next[LinkedPlaces.end])
    all.reserveCapacity(count)
    while place != LinkedPlaces.end {
      all.append(place)
      place = next[place]
    }
    return all
  }

  /// Adds a place right behind another one, in front of all behind ``end``.
  ///
  /// - Returns: Its number: that of the place removed last, or the next unused number if no removed place is left.
  package mutating func add(behind place: Int) -> Int {
    let added: Int
    if lastRemoved != LinkedPlaces.end {
      added = lastRemoved
      lastRemoved = next[added]
    } else {
      added = next.count
      next.append(LinkedPlaces.end)
      previous.append(LinkedPlaces.end)
    }
    link(added, next[place])
    link(place, added)
    count += 1
    return added
  }

  /// Removes a place.
  package mutating func remove(_ place: Int) {
    link(previous[place], next[place])
    next[place] = lastRemoved
    lastRemoved = place
    count -= 1
  }

  private mutating func link(_ place: Int, _ other: Int) {
    (next[place], previous[other]) = (other, place)
  }
}
