import DefaultsDatabase
import TypedDefaults
public import UserDefaultsCompat

/// An operation on numbers, each under a key of its own, and what its caller sees.
public enum ScheduledOperation: Hashable, Codable, Sendable {
  case read(Int)
  case set(Int, to: Int)
  case modify(Int, adding: Int)
  /// Makes the second number the sum of both, in a transaction.
  case transaction(Int, Int)
  /// The same, in a commit.
  case commit(Int, Int)
  /// Adds to a number, in a commit.
  case count(Int, adding: Int)
  /// Reads a number in a commit that changes nothing.
  case committedRead(Int)
  /// Sets a number, and returns when that is on the disk.
  case store(Int, to: Int)

  /// Numbers stay below this, however long a run is.
  private static let modulus = 1_000_003

  /// Its effect if nothing else happens, by its meaning.
  ///
  /// - Returns: What its caller sees.
  public func apply(to numbers: inout [Int]) -> Int {
    switch self {
    case .read(let key), .committedRead(let key): return numbers[key]
    case .set(let key, let number), .store(let key, let number):
      numbers[key] = number
      return 0
    case .modify(let key, let summand), .count(let key, let summand):
      numbers[key] = (numbers[key] + summand) % ScheduledOperation.modulus
      return numbers[key]
    case .transaction(let first, let second), .commit(let first, let second):
      numbers[second] = (numbers[first] + numbers[second]) % ScheduledOperation.modulus
      return numbers[second]
    }
  }

  /// The number that it is about; of two, the second.
  public var key: Int {
    switch self {
    case .read(let key), .set(let key, _), .modify(let key, _), .count(let key, _), .committedRead(let key),
      .store(let key, _), .transaction(_, let key), .commit(_, let key):
      key
    }
  }

  /// The name under which a number is stored.
  public static func name(of key: Int) -> String { "number \(key)" }

  /// For how many seconds an operation is tried again; a lock that is not given back must not stop the tests.
  private static let patience = 60.0

  /// An operation that did not get the lock.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Carries it out; again where another process has held the lock for two seconds, as a program does on a busy machine.
  ///
  /// - Returns: What its caller sees.
  /// - Throws: ``Failure`` after a minute.
  public func run(on defaults: UserDefaults) throws -> Int {
    func key(_ number: Int) -> Defaults.Key<Int> {
      Defaults.Key(ScheduledOperation.name(of: number), default: 0, suite: defaults)
    }
    func sum(_ first: Int, _ second: Int) -> Int { (first + second) % ScheduledOperation.modulus }
    switch self {
    case .read(let number): return defaults.integer(forKey: ScheduledOperation.name(of: number))
    case .set(let number, let value):
      defaults.set(value, forKey: ScheduledOperation.name(of: number))
      return 0
    case .store(let number, let value):
      defaults.set(value, forKey: ScheduledOperation.name(of: number))
      try ScheduledOperation.save(defaults, after: "\(self)")
      return 0
    case .modify(let number, let summand):
      return Defaults.modify(key(number)) { value in
        value = sum(value, summand)
        return value
      }
    case .transaction(let first, let second):
      return Defaults.transaction {
        Defaults[key(second)] = sum(Defaults[key(first)], Defaults[key(second)])
        return Defaults[key(second)]
      }
    case .commit(let first, let second):
      return try commit(defaults) { draft in
        let (first, second) = (ScheduledOperation.name(of: first), ScheduledOperation.name(of: second))
        draft.set(sum(draft.integer(forKey: first), draft.integer(forKey: second)), forKey: second)
        return draft.integer(forKey: second)
      }
    case .count(let number, let summand):
      return try commit(defaults) { draft in
        let name = ScheduledOperation.name(of: number)
        draft.set(sum(draft.integer(forKey: name), summand), forKey: name)
        return draft.integer(forKey: name)
      }
    case .committedRead(let number):
      return try commit(defaults) {
        $0.integer(forKey: ScheduledOperation.name(of: number))
      }
    }
  }

  private func commit(_ defaults: UserDefaults, _ body: (UserDefaults) throws -> Int) throws -> Int {
    let end = MonotonicTime.now + ScheduledOperation.patience
    while true {
      do {
        return try defaults.commit(body)
      } catch let error as DatabaseError {
        guard case .locked = error.kind else { throw error }
        if .now >= end { throw Failure(description: "\(self): \(error)") }
      }
    }
  }

  /// Saves all changes; throws why that fails, and if another process has the lock for a minute.
  ///
  /// - Parameter name: What made the changes, for the error.
  public static func save(_ defaults: UserDefaults, after name: String) throws {
    let end = MonotonicTime.now + patience
    while !defaults.synchronize() {
      let error = defaults.lastError as? DatabaseError
      if let error {
        guard case .locked = error.kind else { throw error }
      }
      if .now >= end { throw Failure(description: "the save after \(name): \(error.map { "\($0)" } ?? "")") }
    }
  }
}
