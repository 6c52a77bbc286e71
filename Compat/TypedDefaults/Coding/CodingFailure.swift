import OpenStepPropertyList
import UserDefaultsCompat

/// Why a value could not be stored or read, and where in it.
struct CodingFailure: Error {
  /// What is wrong, as what follows the name of the value.
  let reason: String
  /// The way to what is wrong from the outermost value, such as `["windows"][2]`.
  var path = ""

  init(_ reason: String) {
    self.reason = reason
  }

  init(expected type: Any.Type, found value: PropertyList) {
    self.init("is \(WrongTypeError.summary(of: value)), which is not of type \(type)")
  }

  /// The same, seen from a container.
  func inside(_ step: String) -> CodingFailure {
    var failure = self
    failure.path = step + path
    return failure
  }
}
