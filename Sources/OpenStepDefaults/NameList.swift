import DefaultsDomains
import OpenStepPropertyList

/// The names of a search list, in their order; a name may occur more than once. Names are told apart by their bytes.
///
/// Finding, adding and removing a name takes constant time on average. Few names are compared one by one, because most
/// lists have only a few, and the first dictionary with keys of some type takes a process long (Architecture,
/// “Start-up”).
struct NameList {
  private var order = LinkedPlaces()
  /// The name at each place, the first at place 1.
  private var names = [""]
  /// The next place that has the same name, or the end; for each place.
  private var again = [LinkedPlaces.end]
  /// The first place of each name; nil as long as there are few names.
  private var places: [PropertyListKey: Int]?

  /// The maximum number of names without a dictionary.
  private static var dictionaryLimit: Int { 32 }

  init(_ texts: [String] = []) {
    for text in texts { _ = put(text, behind: order.last) }
    if texts.count > NameList.dictionaryLimit { makeDictionary() }
  }

  var count: Int { order.count }

  /// The names in order. O(n).
  var texts: [String] { order.all.map { names[$0] } }

  /// Calls a body with the names in order until it returns false.
  func visit(_ body: (String) -> Bool) {
    var place = order.place(behind: LinkedPlaces.end)
    while place != LinkedPlaces.end, body(names[place]) { place = order.place(behind: place) }
  }

  func contains(_ name: String) -> Bool { firstPlace(of: name) != LinkedPlaces.end }

  /// Adds a name right behind another, or at the front if the list does not contain that.
  ///
  /// - Precondition: The list does not contain the name.
  mutating func insert(_ name: String, behind other: String) {
    add(name, behind: firstPlace(of: other))
  }

  /// Adds a name at the end.
  ///
  /// - Precondition: The list does not contain the name.
  mutating func append(_ name: String) {
    add(name, behind: order.last)
  }

  /// Removes a name wherever it occurs.
  mutating func remove(_ name: String) {
    var place = firstPlace(of: name)
    places?[PropertyListKey(name)] = nil
    while place != LinkedPlaces.end {
      order.remove(place)
      names[place] = ""
      place = places == nil ? firstPlace(of: name) : again[place]
    }
  }

  private mutating func add(_ name: String, behind other: Int) {
    let place = put(name, behind: other)
    places?[PropertyListKey(name)] = place
    if places == nil, count > NameList.dictionaryLimit { makeDictionary() }
  }

  private mutating func put(_ name: String, behind other: Int) -> Int {
    let place = order.add(behind: other)
    if place == names.count {
      names.append(name)
      again.append(LinkedPlaces.end)
    } else {
      (names[place], again[place]) = (name, LinkedPlaces.end)
    }
    return place
  }

  private mutating func makeDictionary() {
    var places = [PropertyListKey: Int](minimumCapacity: count)
    // Back to front, so that each place meets the next one of its name.
    for place in order.all.reversed() {
      let key = PropertyListKey(names[place])
      again[place] = places[key] ?? LinkedPlaces.end
      places[key] = place
    }
    self.places = places
  }

  /// The first place of a name; the end if the list does not contain it.
  private func firstPlace(of name: String) -> Int {
    if let places { return places[PropertyListKey(name)] ?? LinkedPlaces.end }
    var place = order.place(behind: LinkedPlaces.end)
    while place != LinkedPlaces.end, !NameList.areEqual(names[place], name) {
      place = order.place(behind: place)
    }
    return place
  }

  /// Compares two names, their lengths first.
  private static func areEqual(_ first: String, _ second: String) -> Bool {
    first.utf8.count == second.utf8.count && PropertyListKey(first) == PropertyListKey(second)
  }
}
