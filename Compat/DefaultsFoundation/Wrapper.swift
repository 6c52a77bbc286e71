/// Optionals and `AnyHashable`, which contain the object that the program set.
package enum Wrapper {
  /// The contents of an optional or an `AnyHashable`, at any depth, or another object itself;
  /// nil for an empty optional.
  ///
  /// A cast with `as?` looks into both too, but casts Foundation's numbers in them to any Swift
  /// type that holds the value.
  package static func contents(of object: Any) -> Any? {
    var object = object
    while true {
      // Checked first for speed: most objects are strings, and a cast to a protocol takes
      // longer than everything else.
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

/// An optional of any type, as a type to cast to.
private protocol Wrapping {
  var wrapped: Any? { get }
}

extension Optional: Wrapping {
  fileprivate var wrapped: Any? { map { $0 as Any } }
}
