public import TypedDefaults

// A program that imports this product alone; it is enough that it compiles.

/// What a program does with the errors of typed keys.
public func describeTyped(_ error: any Error) -> String {
  switch error {
  case let error as Defaults.ValueError: error.reason
  case let error as DatabaseError: "\(error.kind): \(error.path): \(error.propertyListError?.line ?? 0)"
  case let error as InvalidArgumentError: error.reason
  case let error as WrongTypeError: error.key
  default: "other"
  }
}

// What a program may have beside typed keys.
extension UserDefaults {
  final class Observation { let isClients = true }
  func removeAll() -> String { "the client's" }
  func value(for key: String) -> String { "the client's" }
}

public func clientsOwnTyped(_ defaults: UserDefaults) -> [String] {
  let answer: String = defaults.removeAll()
  return [answer, defaults.value(for: "k")] + (UserDefaults.Observation().isClients ? [] : ["ours"])
}
