/// What the cache of NeXT's functions has for a parameter.
struct NXCachedValue {
  /// The value.
  private(set) var text: String
  /// The owner's value in the database when the parameter came into the cache; nil for none. A different one is
  /// newer.
  private var stored: String?
  /// Whether the value is GLOBAL's in the database.
  private let isGlobal: Bool

  init(_ text: String, stored: String?, isGlobal: Bool = false) {
    self.text = text
    self.stored = stored
    self.isGlobal = isGlobal
  }

  /// Takes the database's value if it is newer.
  ///
  /// - Parameters:
  ///   - own: The owner's value in the database.
  ///   - global: GLOBAL's value in the database.
  /// - Returns: Whether the value is different now.
  mutating func update(own: String?, global: String?) -> Bool {
    let old = text
    if let own {
      if let stored, NXCachedValue.areSame(stored, own) { return false }
      self = NXCachedValue(own, stored: own)
    } else if isGlobal, let global {
      text = global
    }
    return !NXCachedValue.areSame(old, text)
  }

  /// Whether two texts have the same bytes.
  private static func areSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }
}
