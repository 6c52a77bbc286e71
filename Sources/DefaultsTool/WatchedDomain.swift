import DefaultsDatabase
import OpenStepPropertyList

/// What is kept of a domain, so that its next state can be compared with this one.
///
/// It is the file's text, or the values where they take less: a text may end in any number of NULs, which take no room
/// on the disk, and all of it would be kept for a few values.
struct WatchedDomain {
  private let domain: LoadedDomain
  /// About how many bytes of memory it takes.
  let byteCount: Int

  /// How many bytes a domain takes besides its values.
  private static let ownByteCount = 256

  /// Makes an absent one.
  init() {
    (domain, byteCount) = (LoadedDomain(), 0)
  }

  private init(_ domain: LoadedDomain, valuesByteCount: Int) {
    self.domain = domain
    byteCount = domain.identity == nil ? 0 : WatchedDomain.ownByteCount + valuesByteCount
  }

  /// What is kept of a good domain, and the values that are compared.
  ///
  /// - Parameter key: The only key that is compared; nil for all.
  static func make(
    of loaded: LoadedDomain, _ key: PropertyListKey?
  ) -> (WatchedDomain, values: [PropertyListKey: PropertyList]) {
    var values = loaded.values
    if let key { values = values[key].map { [key: $0] } ?? [:] }
    let valuesByteCount = PropertyList.dictionary(values).memoryByteCount
    // With its text the values of other keys would come back.
    if key == nil, let text = loaded.text {
      let textByteCount = text.bytes.count + text.starts.count * MemoryLayout<UInt32>.size
      if textByteCount <= valuesByteCount {
        return (WatchedDomain(loaded, valuesByteCount: textByteCount), values)
      }
    }
    let kept = LoadedDomain(values: values, identity: loaded.identity)
    return (WatchedDomain(kept, valuesByteCount: valuesByteCount), values)
  }

  /// The file's identity; nil if there was none.
  var identity: FileIdentity? { domain.identity }

  /// The values that are compared.
  var values: [PropertyListKey: PropertyList] { domain.values }
}

extension PropertyList {
  /// About how many bytes of memory a value takes with all that it has inside; counted without recursion.
  fileprivate var memoryByteCount: Int {
    var count = 0
    var open = [self]
    while let value = open.popLast() {
      // A container or text outside of the value itself has a header of 32 bytes.
      count += MemoryLayout<PropertyList>.stride + 32
      switch value {
      case .string(let text): count += text.utf8.count
      case .data(let bytes): count += bytes.count
      case .array(let elements): open += elements
      case .dictionary(let entries):
        // A hash table is at least half empty after it has grown.
        for key in entries.keys { count += 96 + key.text.utf8.count }
        open += entries.values
      case .integer, .real, .float, .boolean, .date: break
      }
    }
    return count
  }
}
