import DefaultsDatabase
package import OpenStepPropertyList

/// A stored value while a program changes it in the form of an object.
///
/// Another program may have stored what an object does not show, or a setter does not take: keys that are equal to Swift,
/// of which an object has one, and more nested containers. All that stays, except where the program changes it.
package struct ObjectUpdate {
  private let stored: PropertyList?
  private let losesKeys: Bool
  /// The value as an object; nil if there is none.
  package let object: Any?

  /// Converts a value.
  ///
  /// - Parameter convert: Gives the object, and whether it does not have all keys.
  package init(of stored: PropertyList?, _ convert: (PropertyList, inout Bool) -> Any) {
    var losesKeys = false
    object = stored.map { convert($0, &losesKeys) }
    (self.stored, self.losesKeys) = (stored, losesKeys)
  }

  /// The value to be stored after the program has changed the object.
  ///
  /// - Parameter convert: Converts the new object, which may nest as many containers as its argument says.
  /// - Throws: what the closure throws.
  package func value(
    _ convert: (_ maximumDepth: Int) throws(InvalidArgumentError) -> PropertyList
  ) throws(InvalidArgumentError) -> PropertyList {
    let new: PropertyList
    do throws(InvalidArgumentError) {
      new = try convert(ObjectConversion.maximumDepth)
    } catch {
      // Rare enough to be tried twice: else each update would look for the depth.
      guard let depth = stored?.extent.depth, depth > ObjectConversion.maximumDepth else { throw error }
      new = try convert(depth)
    }
    guard losesKeys, let stored else { return new }
    return LargeStack.runWithStackToRelease(room: LargeStack.recursionRoom) {
      ObjectUpdate.completed(new, from: stored)
    }
  }

  /// A new value with what its object did not show of the old one.
  private static func completed(_ new: PropertyList, from old: PropertyList) -> PropertyList {
    switch (new, old) {
    case (.dictionary(let entries), .dictionary(let before)): .dictionary(completed(entries, from: before))
    case (.array(let elements), .array(let before)): .array(completed(elements, from: before))
    default: new
    }
  }

  private static func completed(
    _ new: [PropertyListKey: PropertyList], from old: [PropertyListKey: PropertyList]
  ) -> [PropertyListKey: PropertyList] {
    var result = new
    for entry in shownEntries(of: old) {
      // What is removed is removed with the entries for which it stood.
      guard let value = result.removeValue(forKey: entry.seenKey) else { continue }
      for key in entry.keys { result[key] = old[key] }
      result[entry.key] = completed(value, from: entry.value)
    }
    return result
  }

  private static func completed(_ new: [PropertyList], from old: [PropertyList]) -> [PropertyList] {
    // An element that was moved is found by what the program saw of it.
    var places = Dictionary(grouping: old.indices.reversed()) { seen(old[$0]) }
    var isTaken = Set<Int>()
    var result = new
    var others: [Int] = []
    for index in new.indices {
      if let place = places[new[index]]?.popLast() {
        isTaken.insert(place)
        result[index] = old[place]
      } else {
        others.append(index)
      }
    }
    // The others were changed in their places, unless elements were inserted or removed.
    guard new.count == old.count else { return result }
    for index in others where !isTaken.contains(index) {
      result[index] = completed(new[index], from: old[index])
    }
    return result
  }

  // MARK: - What the program saw

  /// An entry that an object shows.
  private struct ShownEntry {
    let key: PropertyListKey
    let value: PropertyList
    /// The key as the object has it.
    let seenKey: PropertyListKey
    /// All keys for which it stands.
    let keys: [PropertyListKey]
  }

  private static func shownEntries(of entries: [PropertyListKey: PropertyList]) -> [ShownEntry] {
    Dictionary(grouping: entries.keys, by: \.hashableText).values.compactMap { keys in
      // As in the conversion to an object.
      guard let key = keys.max(), let value = entries[key] else { return nil }
      return ShownEntry(key: key, value: value, seenKey: PropertyListKey(key.hashableText), keys: keys)
    }
  }

  /// What an object shows of a value.
  private static func seen(_ value: PropertyList) -> PropertyList {
    switch value {
    case .array(let elements): .array(elements.map(seen))
    case .dictionary(let entries):
      .dictionary(
        Dictionary(uniqueKeysWithValues: shownEntries(of: entries).map { ($0.seenKey, seen($0.value)) }))
    default: value
    }
  }
}
