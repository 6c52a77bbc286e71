/// Optionals and `AnyHashable`, which hold the object that a program means.
package enum Wrapper {
  /// What an optional or an `AnyHashable` holds, at any depth, else the object itself; nil for an optional that holds
  /// nothing.
  ///
  /// Casts look into both, and there take a number of Foundation's for any of Swift's that has its value.
  package static func contents(of object: Any) -> Any? {
    var object = object
    while true {
      // Most objects are strings, and a cast to a protocol takes longer than all else that is done with one.
      if type(of: object) == String.self { return object }
      if let optional = object as? any Wrapping {
        guard let wrapped = optional.wrapped else { return nil }
        object = wrapped
      } else if type(of: object) == AnyHashable.self, let hashable = object as? AnyHashable {
        object = hashable.base
      } else {
        return object
      }
    }
  }
}

/// An optional of any type, as an object.
private protocol Wrapping {
  var wrapped: Any? { get }
}

extension Optional: Wrapping {
  fileprivate var wrapped: Any? { map { $0 as Any } }
}
