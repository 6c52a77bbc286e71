import OpenStepPropertyList
import UserDefaultsCompat

/// Why a value could not be stored or read, and its path.
struct CodingFailure: Error {
  /// What is wrong, as the predicate of a sentence about the value.
  let reason: String
  /// The path to the wrong part from the outermost value, such as `["windows"][2]`.
  var path = ""
  /// For how many levels of nesting the calling thread's stack had no room; nil if the failure has another reason.
  private(set) var missingLevels: Int?

  /// The failure for want of stack space for so many levels.
  static func noStack(levels: Int) -> CodingFailure {
    var failure = CodingFailure("nests deeper than the stack of this thread has room for")
    failure.missingLevels = levels
    return failure
  }

  init(_ reason: String) {
    self.reason = reason
  }

  init(expected type: Any.Type, found value: PropertyList) {
    self.init("is \(WrongTypeError.summary(of: value)), which is not of type \(type)")
  }

  /// The failure with one more component in front of its path.
  func inside(_ step: String) -> CodingFailure {
    var failure = self
    failure.path = step + path
    return failure
  }
}
