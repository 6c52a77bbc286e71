import OpenStepPropertyList

/// A value, or a part of one, and what an object shows of it.
///
/// All is found once, from the inside: to compare parts takes no time that grows with their size.
struct ShownPart {
  private let value: PropertyList
  /// The same for all values that are shown alike, whatever the types of numbers.
  private let hash: Int
  /// Whether an object does not show all keys, or shows other bytes.
  private let losesKeys: Bool
  private let elements: [ShownPart]
  /// The entries, by the keys that an object has.
  private let entries: [PropertyListKey: Entry]

  private struct Entry {
    let key: PropertyListKey
    /// All keys that are equal to this one, to Swift.
    let keys: [PropertyListKey]
    let part: ShownPart
  }

  init(_ value: PropertyList) {
    self.value = value
    var hasher = Hasher()
    switch value {
    case .array(let values):
      elements = values.map(ShownPart.init)
      entries = [:]
      losesKeys = elements.contains { $0.losesKeys }
      hasher.combine(elements.count)
      for element in elements { hasher.combine(element.hash) }
    case .dictionary(let values):
      elements = []
      entries = ShownPart.entries(of: values)
      losesKeys = entries.contains { shownKey, entry in
        entry.keys.count > 1 || entry.key != shownKey || entry.part.losesKeys
      }
      hasher.combine(
        entries.reduce(entries.count) { sum, entry in
          var hasher = Hasher()
          hasher.combine(entry.key)
          hasher.combine(entry.value.part.hash)
          return sum &+ hasher.finalize()
        })
    default:
      (elements, entries, losesKeys) = ([], [:], false)
      if let text = value.scalarText { hasher.combine(PropertyListKey(text)) } else { hasher.combine(value) }
    }
    hash = hasher.finalize()
  }

  private static func entries(of values: [PropertyListKey: PropertyList]) -> [PropertyListKey: Entry] {
    var entries = [PropertyListKey: Entry](minimumCapacity: values.count)
    for keys in Dictionary(grouping: values.keys, by: \.hashableText).values {
      // As in the conversion to an object.
      guard let key = keys.max(), let value = values[key] else { continue }
      entries[PropertyListKey(key.hashableText)] = Entry(key: key, keys: keys, part: ShownPart(value))
    }
    return entries
  }

  // MARK: - Completing a changed value

  /// The value with what was not shown of the old one, from which a program has made it.
  ///
  /// - Complexity: linear in the number of values.
  func completed(from old: ShownPart) -> PropertyList {
    guard old.losesKeys else { return value }
    switch (value, old.value) {
    case (.dictionary(var result), .dictionary(let before)):
      for (shownKey, entry) in old.entries {
        // What is removed is removed with the entries for which it stood.
        guard let new = entries[shownKey], new.keys.count == 1 else { continue }
        result[new.key] = nil
        for key in entry.keys { result[key] = before[key] }
        result[entry.key] = new.part.completed(from: entry.part)
      }
      return .dictionary(result)
    case (.array, .array):
      let places = ShownPart.places(of: elements.map(\.hash), in: old.elements.map(\.hash))
      return .array(
        zip(elements, places).map { new, place in
          place.map { new.completed(from: old.elements[$0]) } ?? new.value
        })
    default:
      return value
    }
  }

  /// For each element of a changed array, which of the old one it was; nil for a new one, and where that is not clear.
  private static func places(of new: [Int], in old: [Int]) -> [Int?] {
    var places = [Int?](repeating: nil, count: new.count)
    var isTaken = [Bool](repeating: false, count: old.count)
    func pair(_ index: Int, _ place: Int) {
      places[index] = place
      isTaken[place] = true
    }
    // Elements at the beginning and at the end, which most changes leave as they are.
    var (start, end) = (0, 0)
    let common = min(new.count, old.count)
    while start < common, new[start] == old[start] {
      pair(start, start)
      start += 1
    }
    while end < common - start, new[new.count - 1 - end] == old[old.count - 1 - end] {
      pair(new.count - 1 - end, old.count - 1 - end)
      end += 1
    }
    if new.count == old.count {
      for index in new.indices where places[index] == nil && new[index] == old[index] { pair(index, index) }
    }
    // Elements that were moved, those that are alike in their order.
    var free = Dictionary(grouping: old.indices.reversed().filter { !isTaken[$0] }) { old[$0] }
    for index in new.indices where places[index] == nil {
      if let place = free[new[index]]?.popLast() { pair(index, place) }
    }
    // Elements that were changed: as many as there were between the same neighbours.
    var index = 0
    while index < new.count {
      guard places[index] == nil else {
        index += 1
        continue
      }
      let first = index
      while index < new.count, places[index] == nil { index += 1 }
      let before = first == 0 ? -1 : places[first - 1] ?? -1
      let behind = index == new.count ? old.count : places[index] ?? old.count
      guard behind - before - 1 == index - first, !isTaken[before + 1..<behind].contains(true) else {
        continue
      }
      for offset in 0..<index - first { pair(first + offset, before + 1 + offset) }
    }
    return places
  }
}
