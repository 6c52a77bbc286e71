public import OpenStepDefaults

// A program that imports this product alone; it is enough that it compiles.

/// What a program does with the errors of the classic class.
public func describeClassic(_ error: any Error) -> String {
  switch error {
  case let error as DatabaseError: "\(error.kind): \(error.path): \(error.propertyListError?.line ?? 0)"
  case let error as InvalidArgumentError: error.reason
  default: "other"
  }
}

/// What a program does with values as they are stored.
public func kind(of value: PropertyList?) -> String {
  switch value {
  case .string: "text"
  case .integer(let number): "number \(number)"
  case .dictionary(let entries): "entries \(entries.keys.sorted().map(\.text))"
  default: "other"
  }
}

// What a port may have as a category of its own.
extension NSUserDefaults {
  public func pointForKey(_ key: String) -> [Double] { [doubleForKey(key), 0] }
  public var lastError: String { "the client's" }
  public func propertyListForKey(_ key: String) -> String { "the client's" }
  public static func checkObject(_ value: Any?) -> Bool { true }
}

public func usesOwnCategory(_ defaults: NSUserDefaults) -> [String] {
  let error: String = defaults.lastError
  let list: String = defaults.propertyListForKey("k")
  return [error, list, "\(NSUserDefaults.checkObject(1))"]
}

/// What a program does with files of property lists, and with objects of which it does not know the type.
public func copyClassic(_ path: String, to copy: String) throws -> [String: Any] {
  let list = try PropertyList(contentsOfFile: path)
  try list.write(toFile: copy, format: .text(.ascii))
  let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
  try defaults.registerDefaults(contentsOfFile: copy)
  let own = try [String: Any](contentsOfFile: copy)
  try own.write(toFile: copy, atomically: true, format: .xml(.apple))
  let shown = try PropertyList(object: own, model: .classic).object(model: .classic) as? [String: Any]
  return (shown ?? [:]).merging(["int": PropertyListObject(defaults.objectForKey("Columns")).intValue]) { $1 }
}
