extension PropertyList {
  /// The number of a reference of a keyed archive, which is a dictionary with the one key `CF$UID` and an
  /// integer from 0 to 2^32−1, as in Apple's XML; nil for all other values.
  package var uid: UInt32? {
    guard case .dictionary(let entries) = self else { return nil }
    return PropertyList.uid(entries)
  }

  static func uid(_ entries: [PropertyListKey: PropertyList]) -> UInt32? {
    guard entries.count == 1, case .integer(let number)? = entries[uidKey] else { return nil }
    return number.exactly(as: UInt32.self)
  }

  static let uidKey = PropertyListKey("CF$UID")
}
