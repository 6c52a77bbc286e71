/// Any object that answers `objectForKey:`: in Objective-C an `id`, in Swift a protocol.
protocol ObjectStore {
  func objectForKey(_ key: String) -> Any?
}

extension NSUserDefaults: ObjectStore {}

extension [String: Any]: ObjectStore {
  func objectForKey(_ key: String) -> Any? { self[key] }
}
