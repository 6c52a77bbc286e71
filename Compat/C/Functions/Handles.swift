// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import COpenStepDefaults
import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
import GNUstepCompat
import OpenStepDefaults
import OpenStepPropertyList

// The functions that open and close handles, and those of the library as a whole. What each does is said at
// its declaration in OpenStepDefaults.h.

/// The version as C text, never freed.
///
/// Unchecked, because of the pointer; the text behind it never changes.
nonisolated(unsafe) private let version = Copies.constant(PackageVersion.text)

@c @implementation
public func osd_version() -> UnsafePointer<CChar>! { version }

@c @implementation
public func osd_error_message() -> UnsafePointer<CChar>! { ThreadMessage.text }

@c @implementation
public func osd_free(_ memory: UnsafeMutableRawPointer!) { Copies.free(memory) }

@c @implementation
public func osd_set_application_name(
  _ name: UnsafePointer<CChar>!, _ former_names: UnsafePointer<UnsafePointer<CChar>?>!,
  _ former_name_count: Int
) -> osd_status {
  status { () throws(Refusal) in
    let name = try Arguments.text(name, "the name")
    let formerNames = try Arguments.texts(former_names, former_name_count, "former names")
    try refusing { try ApplicationName.setName(name, formerNames: formerNames) }
  }
}

// MARK: - Handles

/// Opens a handle for an object.
private func open(
  _ out: UnsafeMutablePointer<OpaquePointer?>?, _ object: () throws(Refusal) -> NSUserDefaults
) -> osd_status {
  status { () throws(Refusal) in
    let out = try Arguments.place(out, nil)
    out.pointee = OpaquePointer(Unmanaged.passRetained(try object()).toOpaque())
  }
}

/// The name of an application's domain, or nil for NULL.
private func application(
  _ pointer: UnsafePointer<CChar>?, in dialect: DatabaseDialect = .openStep
) throws(Refusal) -> String? {
  guard let name = try Arguments.textOrNil(pointer, "the application's name") else { return nil }
  return try refusing { try DomainName(name, in: dialect).text }
}

/// The path of a directory, or nil for NULL.
private func directory(_ pointer: UnsafePointer<CChar>?) throws(Refusal) -> String? {
  guard let path = try Arguments.textOrNil(pointer, "the directory") else { return nil }
  if path.isEmpty { throw .badArgument("the directory is empty") }
  return path
}

@c @implementation
public func osd_open_standard(_ out_defaults: UnsafeMutablePointer<OpaquePointer?>!) -> osd_status {
  open(out_defaults) { NSUserDefaults.standardUserDefaults() }
}

@c @implementation
public func osd_open_directory(
  _ directory: UnsafePointer<CChar>!, _ application: UnsafePointer<CChar>!,
  _ out_defaults: UnsafeMutablePointer<OpaquePointer?>!
) -> osd_status {
  open(out_defaults) { () throws(Refusal) in
    guard let path = try DefaultsC.directory(directory) else { throw .badArgument("the directory is NULL") }
    return NSUserDefaults(directory: path, applicationName: try DefaultsC.application(application))
  }
}

@c @implementation
public func osd_open_user(
  _ user: UnsafePointer<CChar>!, _ out_defaults: UnsafeMutablePointer<OpaquePointer?>!
) -> osd_status {
  open(out_defaults) { () throws(Refusal) in
    let user = try Arguments.text(user, "the user")
    guard let domains = PersistentDomains.ofUser(user) else {
      throw .failed(
        "“\(user)” is no user of this system, or its database can be neither read nor written; nothing was opened"
      )
    }
    return NSUserDefaults(domains: domains, applicationName: nil, arguments: CommandLine.arguments)
  }
}

@c @implementation
public func osd_open_memory(
  _ application: UnsafePointer<CChar>!, _ out_defaults: UnsafeMutablePointer<OpaquePointer?>!
) -> osd_status {
  open(out_defaults) { () throws(Refusal) in
    guard let name = try DefaultsC.application(application) else {
      throw .badArgument("the application's name is NULL")
    }
    return NSUserDefaults(inMemoryWithApplicationName: name)
  }
}

@c @implementation
public func osd_open_gnustep_standard(_ out_defaults: UnsafeMutablePointer<OpaquePointer?>!) -> osd_status {
  open(out_defaults) { GNUstepUserDefaults.standardUserDefaults() }
}

@c @implementation
public func osd_open_gnustep(
  _ directory: UnsafePointer<CChar>!, _ application: UnsafePointer<CChar>!,
  _ out_defaults: UnsafeMutablePointer<OpaquePointer?>!
) -> osd_status {
  open(out_defaults) { () throws(Refusal) in
    let name = try DefaultsC.application(application, in: .gnustep)
    guard let path = try DefaultsC.directory(directory) else {
      return GNUstepUserDefaults(applicationName: name)
    }
    return GNUstepUserDefaults(directory: path, applicationName: name)
  }
}

@c @implementation
public func osd_close(_ defaults: OpaquePointer!) {
  guard let defaults else { return }
  Unmanaged<NSUserDefaults>.fromOpaque(UnsafeRawPointer(defaults)).release()
}
