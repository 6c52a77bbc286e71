import OpenStepPropertyList

/// One experiment with a stable name, and the outcome that is expected of it.
struct Question: Sendable {
  /// Why an outcome is expected.
  enum Basis: String, CaseIterable, Sendable {
    /// The OPENSTEP text decides.
    case openstep
    /// Apple's documentation decides.
    case apple
    /// The text is silent; GNUstep does so.
    case gnustep
    /// This package's own choice.
    case choice
  }

  enum Experiment: Sendable {
    /// The setup of an empty store, and a call.
    case behaviour(api: String, setup: [JSON], call: JSON)
    /// The bytes of a text property list, in Base64.
    case text(base64: String)
  }

  /// `api/family/hash`, or `text/family/hash`.
  let id: String
  let title: String
  /// nil in a file without it; it then counts like any basis that is not a choice.
  let basis: Basis?
  let source: String
  let note: String
  let experiment: Experiment
  let expected: JSON

  /// The middle of the id.
  var family: String {
    let parts = id.split(separator: "/")
    return parts.count > 1 ? String(parts[1]) : "?"
  }

  init(_ json: JSON) throws(NotSupported) {
    guard let id = json["id"]?.text, let expected = json["expect"] else {
      throw NotSupported(what: "a question without id or expect")
    }
    if let base64 = json["input_base64"]?.text {
      experiment = .text(base64: base64)
    } else {
      guard let api = json["api"]?.text, let setup = json["setup"]?.elements, let call = json["call"] else {
        throw NotSupported(what: "a question without api, setup or call, and without input_base64")
      }
      experiment = .behaviour(api: api, setup: setup, call: call)
    }
    if let basis = json["basis"] {
      guard let basis = basis.text.flatMap(Basis.init) else {
        throw NotSupported(what: "\(basis) as a basis")
      }
      self.basis = basis
    } else {
      basis = nil
    }
    (self.id, self.expected) = (id, expected)
    title = json["title"]?.text ?? ""
    source = json["source"]?.text ?? ""
    note = json["note"]?.text ?? ""
  }

  /// Whether the question is about the text of property lists.
  var isText: Bool {
    if case .text = experiment { true } else { false }
  }

  /// The names of the APIs whose objects take part; none for a text.
  var apisInvolved: Set<String> {
    guard case .behaviour(let api, let setup, _) = experiment else { return [] }
    return setup.reduce(into: [api]) { names, step in Question.collectAPIs(of: step, into: &names) }
  }

  private static func collectAPIs(of step: JSON, into names: inout Set<String>) {
    guard let step = try? Step(step) else { return }
    switch step.name {
    case "as": names.insert((try? step.text(0)) ?? "")
    case "try": collectAPIs(of: step.arguments.first ?? .null, into: &names)
    case "otherProcess":
      for inner in step.arguments.first?.elements ?? [] { collectAPIs(of: inner, into: &names) }
    default: break
    }
  }
}
