// The names are NeXT's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import COpenStepDefaults
import OpenStepPropertyList

// NeXT's functions. What each does is said at its declaration in defaults/defaults.h.

/// Runs the body of a function, which gives what it returns; or keeps the sentence about a failure for the thread.
private func result<Result>(orOnFailure failure: Result, _ body: () throws(Refusal) -> Result) -> Result {
  do throws(Refusal) {
    return try body()
  } catch {
    note(error)
    return failure
  }
}

/// Keeps the sentence about a failure for the thread.
private func note(_ refusal: Refusal) {
  switch refusal {
  case .absent: break
  case .badArgument(let sentence), .failed(let sentence): ThreadMessage.set(sentence)
  }
}

/// The entries of a vector before the one that ends it.
private func entries(of vector: UnsafePointer<_NXDefault>?) throws(Refusal) -> some Sequence<_NXDefault> {
  guard let vector else { throw .badArgument("the vector is NULL") }
  return sequence(first: vector) { $0 + 1 }.lazy.map(\.pointee).prefix { $0.name != nil }
}

@c @implementation
public func NXRegisterDefaults(
  _ owner: UnsafePointer<CChar>!, _ vector: UnsafePointer<_NXDefault>!
) -> Int32 {
  result(orOnFailure: 0) { () throws(Refusal) in
    let owner = try NXParameter.owner(owner)
    var defaults: [(name: PropertyListKey, value: String?)] = []
    var refusal: Refusal?
    for entry in try entries(of: vector) {
      do throws(Refusal) {
        let name = try NXParameter.name(entry.name)
        defaults.append((name, entry.value == nil ? nil : try NXParameter.value(entry.value)))
      } catch {
        refusal = error
      }
    }
    try NXDefaults.shared.register(defaults, of: owner)
    if let refusal { throw refusal }
    return 1
  }
}

@c @implementation
public func NXGetDefaultValue(
  _ owner: UnsafePointer<CChar>!, _ name: UnsafePointer<CChar>!
) -> UnsafePointer<CChar>! {
  result(orOnFailure: nil) { () throws(Refusal) in
    NXDefaults.shared.value(of: try NXParameter(owner: owner, name: name))
  }
}

@c @implementation
public func NXSetDefault(
  _ owner: UnsafePointer<CChar>!, _ name: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!
) -> Int32 {
  result(orOnFailure: 0) { () throws(Refusal) in
    let parameter = try NXParameter(owner: owner, name: name)
    NXDefaults.shared.set(try NXParameter.value(value), for: parameter)
    return 1
  }
}

@c @implementation
public func NXWriteDefault(
  _ owner: UnsafePointer<CChar>!, _ name: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!
) -> Int32 {
  result(orOnFailure: 0) { () throws(Refusal) in
    let parameter = try NXParameter(owner: owner, name: name)
    try NXDefaults.shared.write([(parameter.name, try NXParameter.value(value))], of: parameter.owner)
    return 1
  }
}

@c @implementation
public func NXWriteDefaults(
  _ owner: UnsafePointer<CChar>!, _ vector: UnsafeMutablePointer<_NXDefault>!
) -> Int32 {
  result(orOnFailure: 0) { () throws(Refusal) in
    let owner = try NXParameter.owner(owner)
    var defaults: [(name: PropertyListKey, value: String)] = []
    for entry in try entries(of: vector) {
      do throws(Refusal) {
        defaults.append((try NXParameter.name(entry.name), try NXParameter.value(entry.value)))
      } catch {
        note(error)
      }
    }
    if !defaults.isEmpty { try NXDefaults.shared.write(defaults, of: owner) }
    return Int32(clamping: defaults.count)
  }
}

@c @implementation
public func NXRemoveDefault(_ owner: UnsafePointer<CChar>!, _ name: UnsafePointer<CChar>!) -> Int32 {
  result(orOnFailure: 0) { () throws(Refusal) in
    try NXDefaults.shared.remove(try NXParameter(owner: owner, name: name))
    return 1
  }
}

@c @implementation
public func NXReadDefault(
  _ owner: UnsafePointer<CChar>!, _ name: UnsafePointer<CChar>!
) -> UnsafePointer<CChar>! {
  result(orOnFailure: nil) { () throws(Refusal) in
    NXDefaults.shared.storedValue(of: try NXParameter(owner: owner, name: name))
  }
}

@c @implementation
public func NXUpdateDefaults() {
  NXDefaults.shared.updateAll()
}

@c @implementation
public func NXUpdateDefault(
  _ owner: UnsafePointer<CChar>!, _ name: UnsafePointer<CChar>!
) -> UnsafePointer<CChar>! {
  result(orOnFailure: nil) { () throws(Refusal) in
    NXDefaults.shared.update(try NXParameter(owner: owner, name: name))
  }
}

@c @implementation
public func NXSetDefaultsUser(_ newUser: UnsafePointer<CChar>!) -> UnsafePointer<CChar>! {
  result(orOnFailure: nil) { () throws(Refusal) in
    try NXDefaults.shared.setUser(try Arguments.text(newUser, "the user"))
  }
}
