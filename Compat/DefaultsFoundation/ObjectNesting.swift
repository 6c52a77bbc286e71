import Foundation

/// The depth to which Foundation's collections nest, found without access to their elements.
///
/// On Linux the first access to an element of an `NSArray` or `NSDictionary` makes Foundation convert all
/// contents to Swift's collections, by recursion: a collection that contains itself, or nests some thousands
/// deep, ends the process. Reflection shows the elements without that.
enum ObjectNesting {
  /// Whether a collection nests at most as many levels as the limit, itself included.
  ///
  /// - Complexity: proportional to the number of elements, at worst times the limit.
  static func fits(_ collection: Any, within limit: Int) -> Bool {
    var open: [(object: NSObject, depth: Int)] = []
    // The greatest depth at which each collection was found; it need not be visited again at a smaller one.
    var depths: [ObjectIdentifier: Int] = [:]
    func meet(_ element: Any, depth: Int) {
      guard let object = element as? NSObject, isCollection(object),
        depths[ObjectIdentifier(object), default: 0] < depth
      else { return }
      depths[ObjectIdentifier(object)] = depth
      open.append((object, depth))
    }
    meet(collection, depth: 1)
    while let (object, depth) = open.popLast() {
      if depth > limit { return false }
      for child in Mirror(reflecting: object).children {
        if let entry = child.value as? (key: NSObject, value: AnyObject) {
          meet(entry.value, depth: depth + 1)
        } else {
          meet(child.value, depth: depth + 1)
        }
      }
    }
    return true
  }

  /// The elements of Foundation's own kinds of arrays; nil for others, and where access
  /// to elements does no harm.
  static func elements(of object: Any) -> [Any]? {
    #if canImport(ObjectiveC)
      return nil
    #else
      // A subclass of the program's has its elements elsewhere.
      guard type(of: object) == NSArray.self || type(of: object) == NSMutableArray.self else { return nil }
      return Mirror(reflecting: object).children.map(\.value)
    #endif
  }

  /// The entries of Foundation's own kinds of dictionaries; nil for others, and where access
  /// to entries does no harm.
  static func entries(of object: Any) -> [(key: Any, value: Any)]? {
    #if canImport(ObjectiveC)
      return nil
    #else
      guard type(of: object) == NSDictionary.self || type(of: object) == NSMutableDictionary.self else {
        return nil
      }
      return Mirror(reflecting: object).children.compactMap { child in
        (child.value as? (key: NSObject, value: AnyObject)).map { ($0.key, $0.value) }
      }
    #endif
  }

  private static func isCollection(_ object: NSObject) -> Bool {
    object is NSArray || object is NSDictionary || object is NSSet
  }
}
