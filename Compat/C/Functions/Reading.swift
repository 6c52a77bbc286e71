// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import COpenStepDefaults
import OpenStepDefaults
import OpenStepPropertyList

// The functions that read. What each does is said at its declaration in OpenStepDefaults.h.

/// Reads a value of a type with a zero.
///
/// - Parameters:
///   - get: The getter of the class.
///   - convert: Converts a value as that getter does.
private func read<Value: Equatable>(
  _ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ out: UnsafeMutablePointer<Value>?, _ zero: Value,
  _ get: (NSUserDefaults, String) -> Value, _ convert: (PropertyList, NSUserDefaults) -> Value
) -> osd_status {
  status { () throws(Refusal) in
    let out = try Arguments.place(out, zero)
    let (reference, key) = (try Arguments.reference(handle), try Arguments.key(key))
    // Without retaining the object, which would take as long as half of the lookup.
    let isFound = reference._withUnsafeGuaranteedRef { defaults in
      out.pointee = get(defaults, key)
      // Most values are not zero.
      if out.pointee != zero { return true }
      // A lookup that tells both whether there is a value and which: another thread may set or remove it.
      guard let value = defaults.propertyListForKey(key) else { return false }
      out.pointee = convert(value, defaults)
      return true
    }
    if !isFound { throw .absent }
  }
}

/// The value that a lookup finds.
private func value(_ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?) throws(Refusal) -> (
  defaults: NSUserDefaults, value: PropertyList
) {
  let (defaults, key) = (try Arguments.object(handle), try Arguments.key(key))
  guard let value = defaults.propertyListForKey(key) else { throw .absent }
  return (defaults, value)
}

@c @implementation
public func osd_has_value(_ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!) -> osd_status {
  status { () throws(Refusal) in
    let (defaults, key) = (try Arguments.object(defaults), try Arguments.key(key))
    if !defaults.hasValue(forKey: key) { throw .absent }
  }
}

@c @implementation
public func osd_get_bool(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ out_value: UnsafeMutablePointer<Bool>!
) -> osd_status {
  read(defaults, key, out_value, false, { $0.boolForKey($1) }, Values.bool)
}

@c @implementation
public func osd_get_integer(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ out_value: UnsafeMutablePointer<Int64>!
) -> osd_status {
  read(defaults, key, out_value, 0, { Int64($0.integerForKey($1)) }, Values.integer)
}

@c @implementation
public func osd_get_float(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ out_value: UnsafeMutablePointer<Float>!
) -> osd_status {
  read(defaults, key, out_value, 0, { $0.floatForKey($1) }, Values.float)
}

@c @implementation
public func osd_get_double(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ out_value: UnsafeMutablePointer<Double>!
) -> osd_status {
  read(defaults, key, out_value, 0, { $0.doubleForKey($1) }, Values.double)
}

@c @implementation
public func osd_copy_string(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!,
  _ out_string: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!,
  _ out_length: UnsafeMutablePointer<Int>!
) -> osd_status {
  status { () throws(Refusal) in
    out_length?.pointee = 0
    let out = try Arguments.place(out_string, nil)
    let (defaults, key) = (try Arguments.object(defaults), try Arguments.key(key))
    guard let text = defaults.stringForKey(key) else { throw .absent }
    try Copies.put(text, in: out, length: out_length)
  }
}

@c @implementation
public func osd_copy_data(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!,
  _ out_bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>!, _ out_length: UnsafeMutablePointer<Int>!
) -> osd_status {
  status { () throws(Refusal) in
    // Both are cleared, also if one of them is refused.
    out_length?.pointee = 0
    let out = try Arguments.place(out_bytes, nil)
    let length = try Arguments.place(out_length, 0)
    guard case .data(let bytes) = try value(defaults, key).value else { throw .absent }
    out.pointee = try Copies.bytes(bytes)
    length.pointee = bytes.count
  }
}

@c @implementation
public func osd_copy_string_array(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!,
  _ out_strings: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>!,
  _ out_count: UnsafeMutablePointer<Int>!
) -> osd_status {
  copyTexts(out_strings, out_count) { () throws(Refusal) in
    let (defaults, key) = (try Arguments.object(defaults), try Arguments.key(key))
    guard let strings = defaults.stringArrayForKey(key) else { throw .absent }
    return strings
  }
}

/// Copies texts that a body gives.
func copyTexts(
  _ out: UnsafeMutablePointer<Copies.Texts?>?, _ count: UnsafeMutablePointer<Int>?,
  _ body: () throws(Refusal) -> [String]
) -> osd_status {
  status { () throws(Refusal) in
    count?.pointee = 0
    let out = try Arguments.place(out, nil)
    try Copies.put(try body(), in: out, count: count)
  }
}

/// Copies the text of a property list that a body gives.
func copyPropertyList(
  _ handle: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?, _ body: (NSUserDefaults) throws(Refusal) -> PropertyList
) -> osd_status {
  status { () throws(Refusal) in
    length?.pointee = 0
    let out = try Arguments.place(out, nil)
    let defaults = try Arguments.object(handle)
    try Copies.put(try Values.text(of: try body(defaults), for: defaults), in: out, length: length)
  }
}

@c @implementation
public func osd_copy_property_list(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!,
  _ out_text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!, _ out_length: UnsafeMutablePointer<Int>!
) -> osd_status {
  copyPropertyList(defaults, out_text, out_length) { (_) throws(Refusal) in try value(defaults, key).value }
}

@c @implementation
public func osd_copy_representation(
  _ defaults: OpaquePointer!, _ out_text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!,
  _ out_length: UnsafeMutablePointer<Int>!
) -> osd_status {
  copyPropertyList(defaults, out_text, out_length) { .dictionary($0.propertyLists) }
}
