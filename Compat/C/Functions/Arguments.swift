import OpenStepDefaults

/// What C passes, checked.
enum Arguments {
  /// The object of a handle, which the handle retains.
  static func reference(_ handle: OpaquePointer?) throws(Refusal) -> Unmanaged<NSUserDefaults> {
    guard let handle else {
      throw .badArgument("the handle is NULL; look at the status of the call that was to open it")
    }
    return Unmanaged<NSUserDefaults>.fromOpaque(UnsafeRawPointer(handle))
  }

  /// The object of a handle.
  static func object(_ handle: OpaquePointer?) throws(Refusal) -> NSUserDefaults {
    try reference(handle).takeUnretainedValue()
  }

  /// A text.
  static func text(_ pointer: UnsafePointer<CChar>?, _ what: String) throws(Refusal) -> String {
    guard let pointer else { throw .badArgument("\(what) is NULL") }
    guard let text = String(validatingCString: pointer) else {
      throw .badArgument("\(what) is no UTF-8: “\(String(cString: pointer))”")
    }
    return text
  }

  /// A text, or nil for NULL.
  static func textOrNil(_ pointer: UnsafePointer<CChar>?, _ what: String) throws(Refusal) -> String? {
    guard let pointer else { return nil }
    return try text(pointer, what)
  }

  /// A key.
  static func key(_ pointer: UnsafePointer<CChar>?) throws(Refusal) -> String {
    let key = try text(pointer, "the key")
    if key.isEmpty { throw .badArgument("the key is empty") }
    return key
  }

  /// A list of texts.
  static func texts(
    _ pointers: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ what: String
  ) throws(Refusal) -> [String] {
    if count == 0 { return [] }
    guard let pointers else { throw .badArgument("the list of \(what) is NULL, and its count \(count)") }
    // A count that C's arithmetic made of a negative number.
    guard count > 0 else { throw .badArgument("the list of \(what) has an impossible count") }
    var result: [String] = []
    for index in 0..<count { result.append(try text(pointers[index], "element \(index) of the \(what)")) }
    return result
  }

  /// The place of a result, which is cleared.
  static func place<Value>(
    _ pointer: UnsafeMutablePointer<Value>?, _ zero: Value
  ) throws(Refusal) -> UnsafeMutablePointer<Value> {
    guard let pointer else { throw .badArgument("the place for the result is NULL") }
    pointer.pointee = zero
    return pointer
  }
}
