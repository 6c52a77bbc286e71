import Foundation

/// How deep Foundation's own collections nest, found before anything in them is touched.
///
/// On Linux the first element that is asked of an `NSArray` or `NSDictionary` makes Foundation turn all
/// that is below it into Swift's collections, by recursion: one that contains itself, or nests some
/// thousands deep, ends the process there. Reflection shows the elements as they are.
enum ObjectNesting {
  /// Whether a collection nests at most so many others and itself.
  ///
  /// Takes time proportional to the number of elements, times the limit at worst.
  static func fits(_ collection: Any, within limit: Int) -> Bool {
    var open: [(object: NSObject, depth: Int)] = []
    // The depth at which each collection was met: met again less deep, it has nothing new to tell.
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

  /// The elements of an array of Foundation's own; nil for anything else, and where asking it does no harm.
  static func elements(of object: Any) -> [Any]? {
    #if canImport(ObjectiveC)
      return nil
    #else
      // A program's subclass has its elements elsewhere.
      guard type(of: object) == NSArray.self || type(of: object) == NSMutableArray.self else { return nil }
      return Mirror(reflecting: object).children.map(\.value)
    #endif
  }

  /// The keys and values of a dictionary of Foundation's own; nil for anything else, and where asking it does no harm.
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
