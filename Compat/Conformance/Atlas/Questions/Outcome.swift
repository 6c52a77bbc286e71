import OpenStepPropertyList

/// The outcomes that are not values.
extension JSON {
  static let done = JSON.object(["ok": .boolean(true)])
  static let absent = JSON.object(["absent": .boolean(true)])
  static let noObject = JSON.object(["noObject": .boolean(true)])
  static let aborts = JSON.object(["aborts": .boolean(true)])
  /// The process was ended after it had performed everything.
  static let abortsAtExit = JSON.object(["abortsAtExit": .boolean(true)])
  static let hangs = JSON.object(["hangs": .boolean(true)])
  /// The exception that OPENSTEP raised where the Swift method throws.
  static let raises = JSON.object(["raises": .string("NSInvalidArgumentException")])

  /// The driver broke the protocol.
  static let broken = JSON.object(["broken": .boolean(true)])
  /// The driver was not asked.
  static let notRun = JSON.object(["notRun": .boolean(true)])

  static func unsupported(_ what: String) -> JSON {
    .tagged("unsupported", .string(what))
  }

  /// This step of the setup ended the process.
  static func setupAborts(_ step: JSON) -> JSON {
    .tagged("setupAborts", step)
  }

  static func tagged(_ tag: PropertyListKey, _ value: JSON) -> JSON {
    .object([tag: value])
  }

  static func truth(_ value: Bool) -> JSON {
    .tagged("b", .boolean(value))
  }

  static func count(_ value: Int) -> JSON {
    .tagged("n", .number(Double(value)))
  }

  static func texts(_ texts: [String]) -> JSON {
    .array(texts.map { .string($0) })
  }

  /// The outcome of a vector whose setup ended early with this outcome.
  var asSetupOutcome: JSON {
    self["raises"].map { .tagged("setupRaises", $0) } ?? self
  }

  /// Whether the steps after a step with this outcome are meaningless.
  var endsTheSetup: Bool {
    ["absent", "noObject", "raises", "unsupported"].contains(tagged?.tag)
  }
}

extension JSON {
  static func value(_ value: Any?) -> JSON {
    Values.json(of: value)
  }

  /// Sorts names by their bytes, for sets that have no order of their own.
  static func names(_ names: [String]) -> JSON {
    .texts(names.map { PropertyListKey($0) }.sorted().map(\.text))
  }
}

extension [String: Any] {
  /// The entry of a key with exactly these bytes.
  func entry(exactly key: String) -> Any? {
    first { PropertyListKey($0.key) == PropertyListKey(key) }?.value
  }
}
