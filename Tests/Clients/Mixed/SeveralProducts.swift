import GNUstepCompat
import OpenStepDefaults
import TypedDefaults
public import UserDefaultsCompat

// What several products have in common is one type, and its name is not ambiguous where they are imported together.

/// Tells the errors of this package apart.
public func describeSeveral(_ error: any Error) -> String {
  switch error {
  case let error as InvalidArgumentError: error.reason
  case let error as PropertyListError: "line \(error.line)"
  default: "other"
  }
}

/// Where a value comes from.
public func place(of key: String, in defaults: UserDefaultsCompat.UserDefaults) -> String? {
  let origin: DefaultOrigin? = defaults.origin(of: key)
  return origin?.domain
}
