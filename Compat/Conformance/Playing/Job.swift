import Foundation
import OpenStepPropertyList

/// What one process named Probe has to do, handed over in a file: arguments are part of what is tested.
struct Job {
  /// The environment variable that names the file, and by which a process knows that it is a Probe.
  static let variable = "CONFORMANCE_JOB"

  let implementation: Implementation
  /// The API whose object the steps begin with.
  let api: String
  /// The folder of the domain files.
  let store: StoreFolder
  let steps: [JSON]

  func write(to file: URL) throws {
    let json = JSON.object([
      "implementation": .string(implementation.rawValue), "api": .string(api),
      "store": .string(store.url.path), "steps": .array(steps),
    ])
    try Data(json.description.utf8).write(to: file)
  }

  init(implementation: Implementation, api: String, store: StoreFolder, steps: [JSON]) {
    (self.implementation, self.api, self.store, self.steps) = (implementation, api, store, steps)
  }

  init(file: URL) throws {
    let json = try JSONReader.value(of: try Data(contentsOf: file))
    guard let implementation = json["implementation"]?.text.flatMap(Implementation.init),
      let api = json["api"]?.text, let store = json["store"]?.text, let steps = json["steps"]?.elements
    else { throw NotSupported(what: "\(json) as a job") }
    self.init(
      implementation: implementation, api: api, store: StoreFolder(url: URL(fileURLWithPath: store)),
      steps: steps)
  }
}
