public import Foundation
public import UserDefaultsCompat

// A library that imports this product alone, with the alias of its own that every module needs.
typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// What a program does with the errors of the modern class.
public func describeModern(_ error: any Error) -> String {
  switch error {
  case let error as DatabaseError: "\(error.kind): \(error.path): \(error.propertyListError?.line ?? 0)"
  case let error as InvalidArgumentError: error.reason
  case let error as WrongTypeError: error.key
  default: "other"
  }
}

/// A library names the class by its module where others see it.
public func launches(_ defaults: UserDefaultsCompat.UserDefaults) -> Int {
  let own: UserDefaults = defaults
  return own.integer(forKey: "launches")
}

// What programs have in extensions of their own, under the names that the class itself has.
extension UserDefaults {
  final class Observation { let isClients = true }
  struct Changes { let isClients = true }
  struct ObservedChange { let isClients = true }
  struct ObservingOptions { let isClients = true }
  enum Errors: Error { case clients }
  enum Key: String { case clients }
  struct MessageObservation { let isClients = true }
  struct MessageIdentifier { let isClients = true }

  func value<T>(forKey key: String, as type: T.Type = T.self) -> T? { "the client's" as? T }
  func changes(forKey key: String) -> [String] { ["the client's"] }
  func observe(_ key: String, changeHandler: @escaping @Sendable (UserDefaults, Int) -> Void) -> Observation {
    Observation()
  }
  var lastError: String { "the client's" }
  static var errors: [String] { ["the client's"] }
  static var inMemory: String { "the client's" }
  static func temporary() -> String { "the client's" }
  static func validate(_ value: Any?) -> Bool { true }
  static func withStandard(_ body: () -> Void) -> String { "the client's" }
  static var sizeLimit: String { "the client's" }
  func value(forKeyPath path: String) -> String { "the client's" }
  func setValue(_ value: Any?, forKeyPath keyPath: String) { set("the client's", forKey: keyPath) }
  func removeAll() -> String { "the client's" }
}

/// What those calls give in this module.
public func clientsOwn(_ defaults: UserDefaultsCompat.UserDefaults) -> [String] {
  let value: String = defaults.value(forKey: "k", as: String.self) ?? "ours"
  var answers = [
    value, defaults.changes(forKey: "k")[0], defaults.lastError, defaults.value(forKeyPath: "k"),
  ]
  answers += [
    UserDefaults.errors[0], UserDefaults.inMemory, UserDefaults.temporary(), UserDefaults.sizeLimit,
  ]
  answers += [UserDefaults.withStandard {}, defaults.removeAll()]
  defaults.setValue(1, forKeyPath: "a.path")
  answers.append(defaults.string(forKey: "a.path") ?? "ours")
  let observation: UserDefaults.Observation = defaults.observe("k") { _, _ in }
  let isClients =
    observation.isClients && UserDefaults.Changes().isClients && UserDefaults.ObservedChange().isClients
    && UserDefaults.ObservingOptions().isClients && UserDefaults.MessageObservation().isClients
    && UserDefaults.MessageIdentifier().isClients && UserDefaults.validate(1)
  for error in UserDefaults.errors where isClients { answers.append(error) }
  return answers
}

// A protocol of a program's own that gives the class the same members.
public protocol Checking {}

extension Checking {
  public func changes(forKey key: String, since date: Date = .distantPast) -> Int { 0 }
}

extension UserDefaultsCompat.UserDefaults: Checking {}
