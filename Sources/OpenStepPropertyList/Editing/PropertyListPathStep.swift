/// A step on the way from a property list to a value inside it: a dictionary's key or an array's index.
///
/// A string literal is a key, and an integer literal an index: `["Window", "frames", 2, "x"]`.
public enum PropertyListPathStep: Hashable, Sendable {
  /// The entry of a dictionary with this key.
  case key(PropertyListKey)
  /// The element of an array at this index, from 0 on.
  case index(Int)
}

extension PropertyListPathStep: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) {
    self = .key(PropertyListKey(text))
  }
}

extension PropertyListPathStep: ExpressibleByIntegerLiteral {
  public init(integerLiteral index: Int) {
    self = .index(index)
  }
}

extension PropertyListPathStep: CustomStringConvertible {
  /// The step as a person would name it: `“Window”` or `[2]`.
  public var description: String {
    switch self {
    case .key(let key): "“\(key.text)”"
    case .index(let index): "[\(index)]"
    }
  }
}
