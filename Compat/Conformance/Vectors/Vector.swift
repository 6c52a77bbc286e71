import Foundation
import OpenStepPropertyList

/// One experiment: the setup of an empty store, a call, and the expected outcome.
struct Vector: Sendable {
  let id: String
  let api: String
  let setup: [JSON]
  let call: JSON
  let expected: JSON

  /// The middle of `api/family/hash`.
  var family: String {
    let parts = id.split(separator: "/")
    return parts.count > 1 ? String(parts[1]) : "?"
  }

  init(_ json: JSON) throws(NotSupported) {
    guard let id = json["id"]?.text, let api = json["api"]?.text, let setup = json["setup"]?.elements,
      let call = json["call"], let expected = json["expect"]
    else { throw NotSupported(what: "a vector without id, api, setup, call or expect") }
    (self.id, self.api, self.setup, self.call, self.expected) = (id, api, setup, call, expected)
  }

  /// The names of the APIs whose objects take part.
  var apisInvolved: Set<String> {
    setup.reduce(into: [api]) { names, step in Vector.collectAPIs(of: step, into: &names) }
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

/// A file of vectors, one per line.
struct VectorFile {
  var vectors: [Vector] = []
  /// The lines that are not a vector, with the reasons.
  var damage: [String] = []

  init(path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    for (index, line) in data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
      do {
        vectors.append(try Vector(try JSONReader.value(of: line)))
      } catch {
        damage.append("\(path):\(index + 1): \(error)")
      }
    }
  }
}
