import DefaultsDatabase
import OpenStepPropertyList

/// One writer of a race: a thread of a child process.
struct TortureRacer {
  /// The results of the writers of one process.
  struct Outcome {
    /// How often a synchronize was refused because another process held the lock.
    var refusals = 0
    /// How often a domain that is replaced as a whole held values of two writers.
    var mixtures = 0
    /// Why a writer gave up; empty if none did.
    var failure = ""

    static func += (sum: inout Outcome, outcome: Outcome) {
      sum.refusals += outcome.refusals
      sum.mixtures += outcome.mixtures
      if sum.failure.isEmpty { sum.failure = outcome.failure }
    }
  }

  private let defaults: any TortureDefaults
  private let writer: Int
  private let keys: Int
  private let keysPerSave: Int
  private var outcome = Outcome()

  /// A key that a writer sets once, and that has to exist at the end.
  static func key(_ number: Int, of writer: Int) -> String { "\(writer)-\(number)" }

  /// The key that a writer sets again and again, finally to the number of its last key.
  static func lastKey(of writer: Int) -> String { "last \(writer)" }

  /// The prefix of the keys that each writer removes again.
  static let passing = "passing "

  /// Runs a job on all its threads.
  static func run(_ job: TortureJob, _ type: any TortureDefaults.Type) throws {
    let outcomes = Lock(Outcome())
    TortureChild.onThreads(job.threads) { thread in
      var racer = TortureRacer(job, type, writer: job.number * job.threads + thread)
      racer.race()
      outcomes.withLock { [outcome = racer.outcome] in $0 += outcome }
    }
    let outcome = outcomes.withLock { $0 }
    try TortureOutcome.write(
      [
        "refusals": String(outcome.refusals), "mixtures": String(outcome.mixtures),
        "failure": outcome.failure,
      ], to: job.notes)
  }

  /// Reads the file that ``run(_:_:)`` wrote.
  static func outcome(_ path: String) throws -> Outcome {
    let texts = try TortureOutcome.read(path)
    guard let refusals = texts["refusals"].flatMap({ Int($0) }),
      let mixtures = texts["mixtures"].flatMap({ Int($0) })
    else { throw TortureError("\(path): a writer has left no outcome") }
    return Outcome(refusals: refusals, mixtures: mixtures, failure: texts["failure"] ?? "")
  }

  private init(_ job: TortureJob, _ type: any TortureDefaults.Type, writer: Int) {
    defaults = type.init(directory: job.directory, applicationName: TortureChild.domain)
    self.writer = writer
    keys = job.keys
    keysPerSave = job.keysPerSave
  }

  private mutating func race() {
    for number in 0..<keys {
      defaults.set(number, for: TortureRacer.key(number, of: writer))
      defaults.set(number, for: TortureRacer.lastKey(of: writer))
      defaults.set("x", for: "\(TortureRacer.passing)\(writer)-\(number)")
      defaults.remove("\(TortureRacer.passing)\(writer)-\(number - 1)")
      if number % 20 == writer % 20 { replaceDomain(stamp: "\(writer)-\(number)") }
      if (number + 1) % keysPerSave != 0 { continue }
      guard synchronize() else { return }
      checkDomain()
    }
    defaults.remove("\(TortureRacer.passing)\(writer)-\(keys - 1)")
    _ = synchronize()
  }

  /// Synchronizes, again and again while another process holds the lock; false after any other error.
  private mutating func synchronize() -> Bool {
    while !defaults.synchronize() {
      if let error = defaults.lastError, !error.isOfLock {
        outcome.failure = error.description
        return false
      }
      outcome.refusals += 1
    }
    return true
  }

  private mutating func replaceDomain(stamp: String) {
    let texts = Dictionary(uniqueKeysWithValues: TortureChild.replacedKeys.map { ($0, stamp) })
    do {
      try defaults.replaceDomain(TortureChild.replacedDomain, with: texts)
    } catch {
      outcome.failure = "\(error)"
    }
  }

  private mutating func checkDomain() {
    guard let texts = defaults.domain(TortureChild.replacedDomain), !texts.isEmpty else { return }
    if !TortureRacer.isWhole(texts) { outcome.mixtures += 1 }
  }

  /// Whether the values of a replaced domain are complete, and from one writer.
  static func isWhole(_ values: [String: String]) -> Bool {
    Set(values.values).count == 1 && values.keys.sorted() == TortureChild.replacedKeys
  }
}

extension DatabaseError {
  /// Whether another process held the lock.
  var isOfLock: Bool {
    if case .locked = kind { true } else { false }
  }
}
