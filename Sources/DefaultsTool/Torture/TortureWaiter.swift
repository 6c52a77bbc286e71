import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList

/// Makes the calls that a stopped process could hold up, and times each.
struct TortureWaiter {
  /// What came of the calls.
  struct Outcome {
    /// How long each took, in seconds.
    var seconds: [String: Double]
    /// Why the synchronize failed; empty where it did not.
    var error: String
    /// The process that the error names.
    var holder: Int32?
    /// What the tool said of its write.
    var toolError: String
  }

  /// The calls that need the lock, at the same time from a thread each.
  private static let calls = [
    "synchronize", "synchronize too", "new domain", "new object", "tool", "set and get",
  ]
  static let domains = ["Waiting", "Waiting too"]

  private let job: TortureJob
  private let defaults: NSUserDefaults

  init(_ job: TortureJob) {
    self.job = job
    defaults = NSUserDefaults(directory: job.directory, applicationName: TortureWaiter.domains[0])
  }

  /// Makes all calls, notes the outcome, and waits until the changes are saved.
  func run() throws {
    defaults.setInteger(job.number, forKey: "K")
    // A second domain with changes must not wait a second time.
    try defaults.setPersistentDomain(["K": job.number], forName: TortureWaiter.domains[1])
    let outcome = Lock(Outcome(seconds: [:], error: "", holder: nil, toolError: ""))
    TortureChild.onThreads(TortureWaiter.calls.count) { index in
      let start = ContinuousClock.now
      let (error, toolError) = call(TortureWaiter.calls[index])
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      outcome.withLock { outcome in
        outcome.seconds[TortureWaiter.calls[index]] = seconds
        if let error {
          outcome.error = error.description
          if case .locked(let holder) = error.kind { outcome.holder = holder }
        }
        if let toolError { outcome.toolError = toolError }
      }
    }
    try outcome.withLock { $0 }.write(to: job.notes)
    while !defaults.synchronize() {}
  }

  private func call(_ name: String) -> (DatabaseError?, toolError: String?) {
    switch name {
    case "synchronize", "synchronize too":
      return defaults.synchronize() ? (nil, nil) : (defaults.lastError as? DatabaseError, nil)
    case "new domain":
      _ = defaults.persistentDomainForName("Domain of nobody")
    case "new object":
      let other = NSUserDefaults(directory: job.directory, applicationName: "Program of nobody")
      _ = other.objectForKey("K")
    case "tool":
      let errors = Lock<[UInt8]>([])
      _ = DefaultsCommand.run(
        arguments: ["write", "Tool", "K", String(job.number)],
        environment: [DatabaseLocation.environmentVariable: job.directory], input: { [] },
        output: CommandOutput(
          standardOutput: { _ in }, standardError: { bytes in errors.withLock { $0 += bytes } }))
      return (nil, String(decoding: errors.withLock { $0 }, as: UTF8.self))
    default:
      for number in 0..<1000 {
        defaults.setInteger(number, forKey: "L")
        _ = defaults.integerForKey("K")
      }
    }
    return (nil, nil)
  }
}

extension TortureWaiter.Outcome {
  fileprivate func write(to path: String) throws {
    let values: [PropertyListKey: PropertyList] = [
      "seconds": .dictionary(
        Dictionary(
          uniqueKeysWithValues: seconds.map { (PropertyListKey($0.key), .string(String($0.value))) })),
      "error": .string(error), "holder": .string(holder.map(String.init) ?? ""),
      "toolError": .string(toolError),
    ]
    let text = try PropertyList.dictionary(values).text()
    // All at once, since the parent waits for the file.
    try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// Reads what a child wrote.
  init(path: String) throws {
    guard let data = FileManager.default.contents(atPath: path),
      case .dictionary(let values) = try PropertyList(parsing: String(decoding: data, as: UTF8.self)),
      case .dictionary(let seconds) = values["seconds"]
    else { throw CommandError(.inputOutput, "\(path): a process has left no outcome") }
    self.seconds = [:]
    for (key, value) in seconds { self.seconds[key.text] = value.scalarText.flatMap(Double.init) }
    error = values["error"]?.scalarText ?? ""
    holder = (values["holder"]?.scalarText).flatMap(Int32.init)
    toolError = values["toolError"]?.scalarText ?? ""
  }
}
