// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import COpenStepDefaults
import DefaultsDatabase
import OpenStepDefaults
import OpenStepPropertyList

// The functions that set. What each does is said at its declaration in OpenStepDefaults.h.

/// Sets a value by a setter of the class.
private func set(
  _ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?,
  _ body: (NSUserDefaults, String) throws(Refusal) -> Void
) -> osd_status {
  status { () throws(Refusal) in try body(try Arguments.object(handle), try Arguments.key(key)) }
}

@c @implementation
public func osd_set_bool(_ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ value: Bool)
  -> osd_status
{
  set(defaults, key) { $0.setBool(value, forKey: $1) }
}

@c @implementation
public func osd_set_integer(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ value: Int64
) -> osd_status {
  set(defaults, key) { (defaults, key) throws(Refusal) in
    guard let value = Int(exactly: value) else { throw .badArgument("\(value) is too large on this machine") }
    defaults.setInteger(value, forKey: key)
  }
}

@c @implementation
public func osd_set_float(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ value: Float
) -> osd_status {
  set(defaults, key) { $0.setFloat(value, forKey: $1) }
}

@c @implementation
public func osd_set_double(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ value: Double
) -> osd_status {
  set(defaults, key) { $0.setDouble(value, forKey: $1) }
}

@c @implementation
public func osd_set_string(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!
) -> osd_status {
  set(defaults, key) { (defaults, key) throws(Refusal) in
    defaults.setPropertyList(.string(try Arguments.text(value, "the string")), forKey: key)
  }
}

@c @implementation
public func osd_set_data(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ bytes: UnsafeRawPointer!, _ length: Int
) -> osd_status {
  set(defaults, key) { (defaults, key) throws(Refusal) in
    guard length == 0 || bytes != nil else {
      throw .badArgument("the bytes are NULL, and their count \(length)")
    }
    // More could not be saved, and a count that no memory has would end the process.
    guard (0...FileSize.maximum).contains(length) else {
      throw .badArgument("the count of bytes is more than \(FileSize.maximum), the most that a file can hold")
    }
    let data = [UInt8](UnsafeRawBufferPointer(start: length == 0 ? nil : bytes, count: length))
    defaults.setPropertyList(.data(data), forKey: key)
  }
}

@c @implementation
public func osd_set_string_array(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!,
  _ strings: UnsafePointer<UnsafePointer<CChar>?>!, _ count: Int
) -> osd_status {
  set(defaults, key) { (defaults, key) throws(Refusal) in
    let strings = try Arguments.texts(strings, count, "strings")
    defaults.setPropertyList(.array(strings.map { .string($0) }), forKey: key)
  }
}

@c @implementation
public func osd_set_property_list(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ text: UnsafePointer<CChar>!
) -> osd_status {
  set(defaults, key) { (defaults, key) throws(Refusal) in
    defaults.setPropertyList(try Values.value(text, for: defaults), forKey: key)
  }
}

@c @implementation
public func osd_remove(_ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!) -> osd_status {
  set(defaults, key) { $0.removeObjectForKey($1) }
}

@c @implementation
public func osd_register(_ defaults: OpaquePointer!, _ dictionary: UnsafePointer<CChar>!) -> osd_status {
  status { () throws(Refusal) in
    let defaults = try Arguments.object(defaults)
    defaults.register(try Values.dictionary(dictionary, for: defaults))
    defaults.postOtherChange()
  }
}
