import DefaultsDatabase

/// Makes the calls that a stopped process could delay, and measures the duration of each.
struct TortureWaiter {
  /// The results of the calls.
  struct Outcome {
    /// The duration of each call, in seconds.
    var seconds: [String: Double] = [:]
    /// Why the synchronize failed; empty if it did not.
    var error = ""
    /// The process that the error names.
    var holder: Int32?
    /// The tool's error message for its write.
    var toolError = ""
  }

  /// The calls, which are made at the same time, each on a thread of its own.
  private static let calls = [
    "synchronize", "synchronize too", "new domain", "new object", "tool", "set and get",
  ]
  static let domains = ["Waiting", "Waiting too"]

  private let job: TortureJob
  private let type: any TortureDefaults.Type
  private let tool: TortureChild.Tool
  private let defaults: any TortureDefaults

  init(_ job: TortureJob, _ type: any TortureDefaults.Type, _ tool: @escaping TortureChild.Tool) {
    (self.job, self.type, self.tool) = (job, type, tool)
    defaults = type.init(directory: job.directory, applicationName: TortureWaiter.domains[0])
  }

  /// Makes all calls, writes the outcome, and waits until the changes are saved.
  func run() throws {
    // A second domain with changes must not cause a second wait. It is changed first because that takes
    // longer: the calls below have to begin before the automatic save.
    try defaults.replaceDomain(TortureWaiter.domains[1], with: ["K": String(job.number)])
    defaults.set(job.number, for: "K")
    let outcome = Lock(Outcome())
    TortureChild.onThreads(TortureWaiter.calls.count) { index in
      let start = MonotonicTime.now
      let (error, toolError) = call(TortureWaiter.calls[index])
      let seconds = MonotonicTime.now.seconds(since: start)
      outcome.withLock { outcome in
        outcome.seconds[TortureWaiter.calls[index]] = seconds
        // Of two threads that synchronize, one waits for the other process, and one for the first thread. The
        // errors of both have to name the other process, so one that names this process is kept.
        if case .locked(let holder)? = error?.kind,
          outcome.holder == nil || holder == CurrentProcess.identifier
        {
          (outcome.error, outcome.holder) = (error?.description ?? "", holder)
        }
        if let toolError { outcome.toolError = toolError }
      }
    }
    try TortureOutcome.write(outcome.withLock { $0 }.texts, to: job.notes)
    while !defaults.synchronize() {}
  }

  private func call(_ name: String) -> (DatabaseError?, toolError: String?) {
    switch name {
    case "synchronize", "synchronize too":
      return defaults.synchronize() ? (nil, nil) : (defaults.lastError, nil)
    case "new domain":
      _ = defaults.domain("Domain of nobody")
    case "new object":
      let other = type.init(directory: job.directory, applicationName: "Program of nobody")
      _ = other.integer(for: "K")
    case "tool":
      return (nil, tool(["write", "Tool", "K", String(job.number)], job.directory))
    default:
      for number in 0..<1000 {
        defaults.set(number, for: "L")
        _ = defaults.integer(for: "K")
      }
    }
    return (nil, nil)
  }
}

extension TortureWaiter.Outcome {
  private static let secondsPrefix = "seconds of "

  /// The outcome as a child writes it.
  fileprivate var texts: [String: String] {
    var texts = ["error": error, "holder": holder.map { String($0) } ?? "", "toolError": toolError]
    for (call, seconds) in seconds { texts[Self.secondsPrefix + call] = String(seconds) }
    return texts
  }

  /// Reads the outcome that a child wrote.
  init(path: String) throws {
    let texts = try TortureOutcome.read(path)
    for (name, text) in texts where name.hasPrefix(Self.secondsPrefix) {
      seconds[String(name.dropFirst(Self.secondsPrefix.count))] = Double(text)
    }
    error = texts["error"] ?? ""
    holder = texts["holder"].flatMap { Int32($0) }
    toolError = texts["toolError"] ?? ""
  }
}
