import Foundation

/// An element of a vector that the runner does not know; the vector fails with its name.
struct NotSupported: Error, CustomStringConvertible {
  let what: String

  var description: String { "not supported: \(what)" }
}

/// One step of a vector: a name and its arguments.
struct Step {
  let name: String
  let arguments: [JSON]

  init(_ json: JSON) throws(NotSupported) {
    guard let parts = json.elements, let name = parts.first?.text else {
      throw NotSupported(what: "\(json) as a step")
    }
    self.name = name
    arguments = Array(parts.dropFirst())
  }

  private func argument(_ index: Int) throws(NotSupported) -> JSON {
    guard arguments.indices.contains(index) else {
      throw NotSupported(what: "\(name) with \(arguments.count) arguments")
    }
    return arguments[index]
  }

  private func argument<Value>(
    _ index: Int, _ convert: (JSON) throws(NotSupported) -> Value?
  ) throws(NotSupported) -> Value {
    let json = try argument(index)
    guard let value = try convert(json) else { throw NotSupported(what: "\(name) with \(json)") }
    return value
  }

  func text(_ index: Int) throws(NotSupported) -> String {
    try argument(index, \.text)
  }

  func texts(_ index: Int) throws(NotSupported) -> [String] {
    try argument(index) { json throws(NotSupported) in
      let texts = json.elements?.compactMap(\.text)
      return texts?.count == json.elements?.count ? texts : nil
    }
  }

  func boolean(_ index: Int) throws(NotSupported) -> Bool {
    try argument(index) { json throws(NotSupported) in
      if case .boolean(let value) = json { value } else { nil }
    }
  }

  /// A number written as a string.
  func number<Number: LosslessStringConvertible>(_ index: Int) throws(NotSupported) -> Number {
    try argument(index) { json throws(NotSupported) in json.text.flatMap { Number($0) } }
  }

  /// A value, or nil for “no object”.
  func value(_ index: Int) throws(NotSupported) -> Any? {
    let json = try argument(index)
    if case .null = json { return nil }
    return try Values.value(of: json)
  }

  func dictionary(_ index: Int) throws(NotSupported) -> [String: Any] {
    try argument(index) { json throws(NotSupported) in try Values.value(of: json) as? [String: Any] }
  }

  /// A step as the argument of a step.
  func step(_ index: Int) throws(NotSupported) -> Step {
    try Step(try argument(index))
  }

  func elements(_ index: Int) throws(NotSupported) -> [JSON] {
    try argument(index, \.elements)
  }
}
