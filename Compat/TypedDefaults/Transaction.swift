import DefaultsDatabase
import OpenStepPropertyList
import UserDefaultsCompat

extension Defaults {
  /// Makes all changes that an operation makes by keys at one moment, when it returns.
  ///
  /// ```swift
  /// Defaults.transaction {
  ///   Defaults[.width] = 640
  ///   Defaults[.height] = 480
  /// }
  /// ```
  ///
  /// Until then the operation itself sees them, and nobody else does. Nobody ever sees some of them without
  /// the others: they go into the file by one write and are told of by one notification for each suite
  /// (several suites are several files, written one after the other). If the operation throws, nothing is changed; nor
  /// if one of the keys is set by the administrator, which is told of in `UserDefaults.errors`.
  ///
  /// A transaction inside another is part of it. Changes by other calls than those of ``Defaults``, such as
  /// `UserDefaults.set(_:forKey:)`, by observers, and by other tasks, do not belong to it; nor by tasks that
  /// the operation starts.
  ///
  /// - Parameter operation: What makes the changes.
  /// - Returns: What the operation returns.
  @discardableResult
  public static func transaction<Result, Failure: Error>(
    _ operation: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if Transaction.current != nil { return try operation() }
    let transaction = Transaction()
    var outcome: Swift.Result<Result, Failure>?
    Transaction.$inherited.withValue(transaction) {
      do throws(Failure) {
        outcome = .success(try operation())
      } catch {
        outcome = .failure(error)
      }
    }
    // The closure above has run, and either of its ways sets the outcome.
    guard let outcome else { preconditionFailure("the operation was not run") }
    transaction.scope.end()
    let result = try outcome.get()
    transaction.commit()
    return result
  }
}

/// The changes of a transaction that is under way.
final class Transaction: Sendable {
  @TaskLocal static var inherited: Transaction?

  /// The transaction to which changes that are made now belong.
  static var current: Transaction? {
    guard let inherited, inherited.scope.isPresent else { return nil }
    return inherited
  }

  let scope = ClosureScope()
  private let suites = Lock<[ObjectIdentifier: Suite]>([:])

  private struct Suite: Sendable {
    let defaults: UserDefaults
    var changes: [PropertyListKey: PropertyList?]
  }

  /// The new value of a key, nil inside for one that is removed; nil for one that the transaction leaves alone.
  func change(of key: PropertyListKey, in defaults: UserDefaults) -> PropertyList?? {
    suites.withLock { $0[ObjectIdentifier(defaults)]?.changes[key] }
  }

  /// The keys that the transaction sets or removes.
  func keys(in defaults: UserDefaults) -> [PropertyListKey] {
    suites.withLock { $0[ObjectIdentifier(defaults)].map { Array($0.changes.keys) } ?? [] }
  }

  func add(_ changes: [PropertyListKey: PropertyList?], to defaults: UserDefaults) {
    suites.withLock { suites in
      suites[ObjectIdentifier(defaults), default: Suite(defaults: defaults, changes: [:])].changes
        .merge(changes) { $1 }
    }
  }

  func commit() {
    for suite in suites.withLock({ Array($0.values) }) { suite.defaults.setStored(suite.changes) }
  }
}
