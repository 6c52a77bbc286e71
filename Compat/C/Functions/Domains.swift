// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import COpenStepDefaults
import DefaultsDatabase
import GNUstepCompat
import OpenStepDefaults
import OpenStepPropertyList

// The functions of domains and of their files. What each does is said at its declaration in OpenStepDefaults.h.

/// Calls a body with the object of a handle and a domain's name.
private func domain(
  _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?,
  _ body: (NSUserDefaults, String) throws(Refusal) -> Void
) -> osd_status {
  status { () throws(Refusal) in
    let (defaults, name) = (try Arguments.object(handle), try Arguments.text(name, "the domain's name"))
    if name.isEmpty { throw .badArgument("the domain's name is empty") }
    try body(defaults, name)
  }
}

// MARK: - The search list

@c @implementation
public func osd_copy_search_list(
  _ defaults: OpaquePointer!,
  _ out_names: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>!,
  _ out_count: UnsafeMutablePointer<Int>!
) -> osd_status {
  copyTexts(out_names, out_count) { () throws(Refusal) in try Arguments.object(defaults).searchList() }
}

@c @implementation
public func osd_set_search_list(
  _ defaults: OpaquePointer!, _ names: UnsafePointer<UnsafePointer<CChar>?>!, _ count: Int
) -> osd_status {
  status { () throws(Refusal) in
    let defaults = try Arguments.object(defaults)
    defaults.setSearchList(try Arguments.texts(names, count, "names"))
  }
}

@c @implementation
public func osd_add_suite(_ defaults: OpaquePointer!, _ name: UnsafePointer<CChar>!) -> osd_status {
  domain(defaults, name) { $0.addSuiteNamed($1) }
}

@c @implementation
public func osd_remove_suite(_ defaults: OpaquePointer!, _ name: UnsafePointer<CChar>!) -> osd_status {
  domain(defaults, name) { $0.removeSuiteNamed($1) }
}

// MARK: - Persistent and volatile domains

@c @implementation
public func osd_copy_persistent_domain_names(
  _ defaults: OpaquePointer!,
  _ out_names: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>!,
  _ out_count: UnsafeMutablePointer<Int>!
) -> osd_status {
  copyTexts(out_names, out_count) { () throws(Refusal) in
    try Arguments.object(defaults).persistentDomainNames()
  }
}

@c @implementation
public func osd_copy_volatile_domain_names(
  _ defaults: OpaquePointer!,
  _ out_names: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>!,
  _ out_count: UnsafeMutablePointer<Int>!
) -> osd_status {
  copyTexts(out_names, out_count) { () throws(Refusal) in
    try Arguments.object(defaults).volatileDomainNames()
  }
}

@c @implementation
public func osd_copy_persistent_domain(
  _ defaults: OpaquePointer!, _ name: UnsafePointer<CChar>!,
  _ out_text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!, _ out_length: UnsafeMutablePointer<Int>!
) -> osd_status {
  copyPropertyList(defaults, out_text, out_length) { (defaults) throws(Refusal) in
    let name = try Arguments.text(name, "the domain's name")
    guard let entries = defaults.propertyLists(ofPersistentDomain: name) else { throw .absent }
    return .dictionary(entries)
  }
}

@c @implementation
public func osd_copy_volatile_domain(
  _ defaults: OpaquePointer!, _ name: UnsafePointer<CChar>!,
  _ out_text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!, _ out_length: UnsafeMutablePointer<Int>!
) -> osd_status {
  copyPropertyList(defaults, out_text, out_length) { (defaults) throws(Refusal) in
    let name = try Arguments.text(name, "the domain's name")
    guard let entries = defaults.propertyLists(ofVolatileDomain: name) else { throw .absent }
    return .dictionary(entries)
  }
}

@c @implementation
public func osd_set_persistent_domain(
  _ defaults: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ dictionary: UnsafePointer<CChar>!
) -> osd_status {
  domain(defaults, name) { (defaults, name) throws(Refusal) in
    let values = try Values.dictionary(dictionary, for: defaults)
    try refusing {
      if let gnustep = defaults as? GNUstepUserDefaults {
        try gnustep.replaceDomain(named: name, with: values)
      } else {
        try defaults.makePersistentDomain(named: name, values)
      }
    }
  }
}

@c @implementation
public func osd_set_volatile_domain(
  _ defaults: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ dictionary: UnsafePointer<CChar>!
) -> osd_status {
  domain(defaults, name) { (defaults, name) throws(Refusal) in
    let values = try Values.dictionary(dictionary, for: defaults)
    try refusing { try defaults.makeVolatileDomain(named: name, values) }
    defaults.postOtherChange()
  }
}

@c @implementation
public func osd_remove_persistent_domain(
  _ defaults: OpaquePointer!, _ name: UnsafePointer<CChar>!
) -> osd_status {
  domain(defaults, name) { $0.removePersistentDomainForName($1) }
}

@c @implementation
public func osd_remove_volatile_domain(
  _ defaults: OpaquePointer!, _ name: UnsafePointer<CChar>!
) -> osd_status {
  domain(defaults, name) { $0.removeVolatileDomainForName($1) }
}

// MARK: - Files

@c @implementation
public func osd_synchronize(_ defaults: OpaquePointer!) -> osd_status {
  status { () throws(Refusal) in
    let defaults = try Arguments.object(defaults)
    guard defaults.synchronize() else {
      throw .failed(defaults.errorToReport.map { "\($0)" } ?? "the database could not be written or read")
    }
  }
}

@c @implementation
public func osd_copy_last_error(
  _ defaults: OpaquePointer!, _ out_message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> osd_status {
  status { () throws(Refusal) in
    let out = try Arguments.place(out_message, nil)
    guard let error = try Arguments.object(defaults).lastError else { throw .absent }
    try Copies.put("\(error)", in: out, length: nil)
  }
}
