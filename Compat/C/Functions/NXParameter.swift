import DefaultsDatabase
import OpenStepPropertyList

/// A default parameter of NeXT's functions: a key of a domain.
struct NXParameter: Hashable {
  /// The domain.
  let owner: DomainName
  let name: PropertyListKey

  /// Checks an owner and a name from C.
  init(owner: UnsafePointer<CChar>?, name: UnsafePointer<CChar>?) throws(Refusal) {
    self.init(owner: try NXParameter.owner(owner), name: try NXParameter.name(name))
  }

  init(owner: DomainName, name: PropertyListKey) {
    self.owner = owner
    self.name = name
  }

  /// The domain of an owner.
  ///
  /// NEXTSTEP's owner of what all programs share became `NSGlobalDomain` in OPENSTEP.
  static func owner(_ pointer: UnsafePointer<CChar>?) throws(Refusal) -> DomainName {
    let text = try Arguments.text(pointer, "the owner")
    if text == "GLOBAL" { return .global }
    return try refusing { try DomainName(text) }
  }

  /// A parameter's name.
  static func name(_ pointer: UnsafePointer<CChar>?) throws(Refusal) -> PropertyListKey {
    let text = try Arguments.text(pointer, "the parameter's name")
    if text.isEmpty { throw .badArgument("the parameter's name is empty") }
    return PropertyListKey(text)
  }

  /// A parameter's value.
  static func value(_ pointer: UnsafePointer<CChar>?) throws(Refusal) -> String {
    try Arguments.text(pointer, "the parameter's value")
  }
}
