import DefaultsDatabase
import DefaultsFoundation
import Foundation
import OpenStepDefaults
import OpenStepPropertyList

/// One writer of a race: a thread of a child process.
struct TortureRacer {
  /// What the writers of one process met.
  struct Outcome {
    /// How often a synchronize was refused because another process held the lock.
    var refusals = 0
    /// How often a domain that is replaced as a whole held values of two writers.
    var mixtures = 0
    /// Why a writer gave up.
    var failure = ""

    static func += (sum: inout Outcome, outcome: Outcome) {
      sum.refusals += outcome.refusals
      sum.mixtures += outcome.mixtures
      if sum.failure.isEmpty { sum.failure = outcome.failure }
    }
  }

  private let defaults: NSUserDefaults
  private let writer: Int
  private let keys: Int
  private let keysPerSave: Int
  private var outcome = Outcome()

  /// The key of a writer that is to be there at the end.
  static func key(_ number: Int, of writer: Int) -> PropertyListKey {
    PropertyListKey("\(writer)-\(number)")
  }

  /// The key that a writer sets again and again, at last to the number of its last key.
  static func lastKey(of writer: Int) -> PropertyListKey {
    PropertyListKey("last \(writer)")
  }

  /// What the keys begin with that no writer leaves behind.
  static let passing = "passing "

  /// Does a job's work on all its threads.
  static func run(_ job: TortureJob) throws {
    let outcomes = Lock(Outcome())
    TortureChild.onThreads(job.threads) { thread in
      var racer = TortureRacer(job, writer: job.number * job.threads + thread)
      racer.race()
      outcomes.withLock { [outcome = racer.outcome] in $0 += outcome }
    }
    let outcome = outcomes.withLock { $0 }
    let values: [PropertyListKey: PropertyList] = [
      "refusals": .string(String(outcome.refusals)), "mixtures": .string(String(outcome.mixtures)),
      "failure": .string(outcome.failure),
    ]
    try Data(PropertyList.dictionary(values).text().utf8).write(to: URL(fileURLWithPath: job.notes))
  }

  /// Reads what ``run(_:)`` noted.
  static func outcome(_ path: String) throws -> Outcome {
    guard let data = FileManager.default.contents(atPath: path),
      case .dictionary(let values) = try PropertyList(parsing: String(decoding: data, as: UTF8.self)),
      let refusals = (values["refusals"]?.scalarText).flatMap(Int.init),
      let mixtures = (values["mixtures"]?.scalarText).flatMap(Int.init)
    else { throw CommandError(.inputOutput, "\(path): a writer has left no outcome") }
    return Outcome(
      refusals: refusals, mixtures: mixtures, failure: values["failure"]?.scalarText ?? "")
  }

  private init(_ job: TortureJob, writer: Int) {
    defaults = NSUserDefaults(directory: job.directory, applicationName: TortureChild.domain)
    self.writer = writer
    keys = job.keys
    keysPerSave = job.keysPerSave
  }

  private mutating func race() {
    for number in 0..<keys {
      defaults.setInteger(number, forKey: TortureRacer.key(number, of: writer).text)
      defaults.setInteger(number, forKey: TortureRacer.lastKey(of: writer).text)
      defaults.setObject("x", forKey: "\(TortureRacer.passing)\(writer)-\(number)")
      defaults.removeObjectForKey("\(TortureRacer.passing)\(writer)-\(number - 1)")
      if number % 20 == writer % 20 { replaceDomain(stamp: "\(writer)-\(number)") }
      if (number + 1) % keysPerSave != 0 { continue }
      guard synchronize() else { return }
      checkDomain()
    }
    defaults.removeObjectForKey("\(TortureRacer.passing)\(writer)-\(keys - 1)")
    _ = synchronize()
  }

  /// Waits out whoever holds the lock; false after any other trouble.
  private mutating func synchronize() -> Bool {
    while !defaults.synchronize() {
      if let error = defaults.lastError as? DatabaseError, !error.isOfLock {
        outcome.failure = error.description
        return false
      }
      outcome.refusals += 1
    }
    return true
  }

  private mutating func replaceDomain(stamp: String) {
    let values = Dictionary(uniqueKeysWithValues: TortureChild.replacedKeys.map { ($0, stamp) })
    defaults.removePersistentDomainForName(TortureChild.replacedDomain)
    do {
      try defaults.setPersistentDomain(values, forName: TortureChild.replacedDomain)
    } catch is InvalidArgumentError {
      // Another thread or process has made the domain between the two calls.
    } catch {
      outcome.failure = "\(error)"
    }
  }

  private mutating func checkDomain() {
    guard let values = defaults.persistentDomainForName(TortureChild.replacedDomain), !values.isEmpty else {
      return
    }
    if !TortureRacer.isWhole(values.mapValues { $0 as? String ?? "" }) { outcome.mixtures += 1 }
  }

  /// Whether the values of the domain that is replaced as a whole are those of one writer.
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
