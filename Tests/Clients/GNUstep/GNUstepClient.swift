// A program of GNUstep's that imports nothing itself: DropIn.swift is all that it needs.

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

/// What a program does with files of property lists, and with objects of which it does not know the type.
public func copyGNUstep(_ path: String, to copy: String, in directory: String) throws -> [Any] {
  try PropertyList(contentsOfFile: path).write(toFile: copy, format: .text(.gnustep))
  let defaults = NSUserDefaults(directory: directory)
  try defaults.registerDefaults(contentsOfFile: copy)
  let columns = PropertyListObject(defaults.objectForKey("Columns"))
  let kept = try PropertyList(object: [String: Any](contentsOfFile: copy)).object()
  return [columns.object as Any, columns.isEqual("80"), columns.stringValue as Any, kept]
}

// Unchecked like its superclass, whose promise a subclass has to restate.
/// A subclass that keeps all values under other keys.
final class PrefixedDefaults: NSUserDefaults, @unchecked Sendable {
  override func objectForKey(_ key: String) -> Any? { super.objectForKey("App." + key) }
  override func setObject(_ value: Any?, forKey key: String) { super.setObject(value, forKey: "App." + key) }
}

/// What the initializers of the class find in a directory of GNUstep's, in which the program has set `Columns`.
public func columnsOfInitializers(in directory: String) -> [Int] {
  let objects = [
    NSUserDefaults(directory: directory), NSUserDefaults(contentsOfFile: directory + "/any.plist"),
    PrefixedDefaults(inMemoryWithApplicationName: "App"), NSUserDefaults(applicationName: nil),
  ]
  objects[2].setInteger(7, forKey: "Columns")
  return objects.map { $0.integerForKey("Columns") }
}
