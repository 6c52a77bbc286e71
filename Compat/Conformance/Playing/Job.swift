import Foundation
import OpenStepPropertyList

/// The task of one process named Probe, passed in a file, because the arguments are part of the test.
struct Job {
  /// The environment variable with the file's path; its presence tells a process that it is a Probe.
  static let variable = "CONFORMANCE_JOB"

  let implementation: Implementation
  /// The API of the object that performs the first step.
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
