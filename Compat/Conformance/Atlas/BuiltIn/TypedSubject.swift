import Foundation
import TypedDefaults

/// Typed keys as the vectors see them: what a key can do is done by a key of that type, all else by the modern
/// class, on which keys are made.
final class TypedSubject: BehaviourSubject {
  private let untyped = ModernSubject()

  var receiver: AnyObject { untyped.receiver }

  func use(_ name: String) throws -> Bool {
    try untyped.use(name)
  }

  func perform(_ step: Step) throws -> JSON {
    if let answer = try answer(step) { return answer }
    return try change(step) ? .done : untyped.perform(step)
  }

  // MARK: - Reading

  /// Performs a step that reads by a key; nil for any other step.
  private func answer(_ step: Step) throws -> JSON? {
    switch step.name {
    case "string": .value(stored(String.self, try step.text(0)))
    case "stringArray": .value(stored([String].self, try step.text(0)))
    case "data": .value(stored(Data.self, try step.text(0)))
    case "url": .value(stored(URL.self, try step.text(0)))
    case "bool": .truth(value(try step.text(0), else: false))
    case "integer": .value(value(try step.text(0), else: 0))
    case "float": .value(value(try step.text(0), else: Float(0)))
    case "double": .value(value(try step.text(0), else: 0.0))
    case "cast": try cast(to: try step.text(0), try step.text(1))
    default: nil
    }
  }

  private func stored<Value: Defaults.Serializable>(_ type: Value.Type, _ name: String) -> Value? {
    untyped.defaults[Defaults.Key<Value?>(name)]
  }

  /// The value of a key whose default value is computed, so that nothing is registered for it.
  private func value<Value: Defaults.Serializable & Sendable>(_ name: String, else substitute: Value) -> Value
  {
    untyped.defaults[Defaults.Key<Value>(name, default: { substitute })]
  }

  /// The value as a type; nil if no key has such a type.
  private func cast(to type: String, _ name: String) throws -> JSON? {
    switch type {
    case "Int": .value(stored(Int.self, name))
    case "Int8": .value(stored(Int8.self, name))
    case "Int16": .value(stored(Int16.self, name))
    case "Int32": .value(stored(Int32.self, name))
    case "Int64": .value(stored(Int64.self, name))
    case "UInt": .value(stored(UInt.self, name))
    case "UInt8": .value(stored(UInt8.self, name))
    case "UInt16": .value(stored(UInt16.self, name))
    case "UInt32": .value(stored(UInt32.self, name))
    case "UInt64": .value(stored(UInt64.self, name))
    case "Double": .value(stored(Double.self, name))
    case "Float": .value(stored(Float.self, name))
    case "Bool": stored(Bool.self, name).map { .truth($0) } ?? .null
    case "String": .value(stored(String.self, name))
    case "Data": .value(stored(Data.self, name))
    case "Date": .value(stored(Date.self, name))
    case "URL": .value(stored(URL.self, name))
    case "[Bool]": .value(stored([Bool].self, name))
    case "[Int]": .value(stored([Int].self, name))
    case "[Double]": .value(stored([Double].self, name))
    case "[String]": .value(stored([String].self, name))
    case "[String: Int]": .value(stored([String: Int].self, name))
    case "[String: Double]": .value(stored([String: Double].self, name))
    case "[String: String]": .value(stored([String: String].self, name))
    default: nil
    }
  }

  // MARK: - Setting

  /// Performs a step that sets by a key; false for any other step.
  private func change(_ step: Step) throws -> Bool {
    switch step.name {
    case "setBool": try set(try step.boolean(1), step)
    case "setInteger": try set(try step.number(1) as Int, step)
    case "setFloat": try set(try step.number(1) as Float, step)
    case "setDouble": try set(try step.number(1) as Double, step)
    case "setURL": try set(try step.url(1), step)
    case "setFileURL": try set(try step.fileURL(1), step)
    case "remove": try set(nil as String?, step)
    case "set":
      switch try step.value(1) {
      case nil: try set(nil as String?, step)
      case let value as String: try set(value, step)
      case let value as Data: try set(value, step)
      case let value as Date: try set(value, step)
      case let value as [String]: try set(value, step)
      case let value as [String: String]: try set(value, step)
      case let value as Int: try set(value, step)
      default: return false
      }
    default: return false
    }
    return true
  }

  private func set<Value: Defaults.Serializable>(_ value: Value?, _ step: Step) throws {
    try untyped.defaults.set(value, for: Defaults.Key<Value?>(try step.text(0)))
  }
}
