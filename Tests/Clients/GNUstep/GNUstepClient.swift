import GNUstepCompat

// A program that imports this product alone, with the alias by which its calls mean GNUstep's database.
typealias NSUserDefaults = GNUstepUserDefaults

/// What a program does with the errors of GNUstep's class.
public func describeGNUstep(_ error: any Error) -> String {
  switch error {
  case let error as DatabaseError: "\(error.kind): \(error.path): \(error.propertyListError?.line ?? 0)"
  case let error as InvalidArgumentError: error.reason
  default: "other"
  }
}

/// Calls that the class inherits.
public func columns(in directory: String) -> Int {
  let defaults = NSUserDefaults(directory: directory)
  defaults.setInteger(5, forKey: "Columns")
  return defaults.propertyListForKey("Columns") == nil ? 0 : defaults.integerForKey("Columns")
}
