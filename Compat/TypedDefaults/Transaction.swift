import DefaultsDatabase
import DefaultsDomains
import OpenStepPropertyList
import UserDefaultsCompat

extension Defaults {
  /// Collects the changes that an operation makes by keys, and makes them all at one moment when it returns.
  ///
  /// ```swift
  /// Defaults.transaction {
  ///   Defaults[.width] = 640
  ///   Defaults[.height] = 480
  /// }
  /// ```
  ///
  /// Until then only the operation itself sees the changes, and only by typed keys, of every object that searches the
  /// suite; `integer(forKey:)` and the other untyped getters still give the old values. Whoever reads several of a
  /// suite's keys in one look, by `dictionaryRepresentation()`, ``updates(_:initial:)->AsyncStream<(Value)>`` or
  /// another transaction, sees all of the changes or none; two lookups one after the other are two moments. The changes
  /// are written to the file by one write and reported by one notification for each suite, of one of the objects that
  /// made them (several suites are several files, written one after the other; a subclass receives its changes one by
  /// one). If the operation throws, nothing is changed; a suite is not changed if the administrator has set one of the
  /// keys, which is reported in `UserDefaults.errors`.
  ///
  /// Transactions are isolated: no other transaction, and no `modify` or commit of this process, whichever class and
  /// object it uses, comes between the operation's reads and the end. The operation runs once, and others wait for
  /// it, so it should be short; it must not wait for another thread that does such a thing. A plain set of another
  /// thread does not wait: of a key that the transaction sets, the transaction's value remains, as if set later; of
  /// another key, the operation may see it.
  ///
  /// Observers of what is changed meanwhile by the operation's thread are called, and notifications posted, when
  /// the transaction has ended. `UserDefaults.synchronize()` and commits are refused in the operation.
  ///
  /// A transaction inside another is part of it. Changes by other calls than those of ``Defaults``, such as
  /// `UserDefaults.set(_:forKey:)`, by observers, and by other tasks, including those that the operation
  /// starts, do not belong to it.
  ///
  /// - Parameter operation: Makes the changes.
  /// - Returns: What the operation returns.
  @discardableResult
  public static func transaction<Result, Failure: Error>(
    _ operation: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if Transaction.current != nil { return try operation() }
    return try UpdateLock.shared.hold { () throws(Failure) in try Transaction.run(operation) }
  }

  /// Makes a transaction from a task, which waits for other transactions without blocking its thread.
  ///
  /// The operation is synchronous, since others wait for it; see ``transaction(_:)``. A task that is cancelled still
  /// makes the transaction.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the operation runs, by default the caller's.
  ///   - operation: Makes the changes.
  /// - Returns: What the operation returns.
  @discardableResult
  public static func asynchronousTransaction<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    if Transaction.current != nil { return try operation() }
    return try await UpdateLock.shared.hold(
      isolation: isolation,
      asynchronously: { () throws(Failure) in
        try Transaction.run(operation)
      })
  }
}

/// The changes of a transaction that has not been committed.
final class Transaction: Sendable {
  @TaskLocal static var inherited: Transaction?

  /// The transaction to which present changes belong.
  static var current: Transaction? {
    guard let inherited, inherited.scope.isPresent else { return nil }
    return inherited
  }

  /// Runs an operation, and makes its changes; the caller holds the lock of updates.
  static func run<Result, Failure: Error>(
    _ operation: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let transaction = Transaction()
    var outcome: Swift.Result<Result, Failure>?
    Transaction.$inherited.withValue(transaction) {
      do throws(Failure) {
        outcome = .success(try UpdateLock.shared.run(operation))
      } catch {
        outcome = .failure(error)
      }
    }
    // The closure above has run, and both of its paths set the outcome.
    guard let outcome else { preconditionFailure("the operation was not run") }
    transaction.scope.end()
    let result = try outcome.get()
    transaction.commit()
    return result
  }

  let scope = ClosureScope()
  /// The changes of each domain, whichever objects make them.
  private let suites = Lock<[ObjectIdentifier: Suite]>([:])

  private struct Suite: Sendable {
    let domain: PersistentDomain
    var changes: [PropertyListKey: Change] = [:]
  }

  private struct Change: Sendable {
    let value: PropertyList?
    /// The object that makes the change.
    let defaults: UserDefaults
    /// Whether all changes of the key were made inside `withoutPropagation`.
    let isSilent: Bool
  }

  /// The pending value of a domain for a key, nil inside for none; nil for a key that the
  /// transaction does not change.
  func change(of key: PropertyListKey, in domain: PersistentDomain) -> PropertyList?? {
    suites.withLock { suites in
      suites[ObjectIdentifier(domain)]?.changes[key].map { .some($0.value) } ?? nil
    }
  }

  /// The keys of a domain that the transaction sets or removes.
  func keys(in domain: PersistentDomain) -> [PropertyListKey] {
    suites.withLock { $0[ObjectIdentifier(domain)].map { Array($0.changes.keys) } ?? [] }
  }

  /// Adds changes of an object's own domain.
  func add(_ changes: [PropertyListKey: PropertyList?], by defaults: UserDefaults) {
    let isSilent = Propagation.isOff
    let domain = defaults.store.application
    let replaced = suites.withLock { suites in
      let identifier = ObjectIdentifier(domain)
      return changes.compactMap { key, value in
        let wasSilent = suites[identifier]?.changes[key]?.isSilent ?? true
        // In place: copying for each key would make the whole transaction quadratic.
        return suites[identifier, default: Suite(domain: domain)].changes.updateValue(
          Change(value: value, defaults: defaults, isSilent: isSilent && wasSilent), forKey: key)
      }
    }
    // Released outside the lock: the last reference to an object of a subclass runs its deinit, which may set a key.
    withExtendedLifetime(replaced) {}
  }

  func commit() {
    for suite in suites.withLock({ Array($0.values) }) { commit(suite.changes) }
  }

  /// Makes the changes of one suite at one moment; none if an administrator has set one of the keys.
  private func commit(_ changes: [PropertyListKey: Change]) {
    let refusals = changes.compactMap { key, change in
      change.defaults.store.refusal(of: key).map { ($0, change.defaults.store) }
    }
    for (refusal, store) in refusals { store.report(refusal) }
    guard refusals.isEmpty else { return }
    let silent = Set(changes.filter(\.value.isSilent).keys)
    // All objects of the class itself are equivalent; a subclass may override the setters.
    let groups = Dictionary(grouping: changes) { _, change in
      change.defaults.isExact ? nil : ObjectIdentifier(change.defaults)
    }
    func withSilence(_ body: () -> Void) {
      Propagation.$silentKeys.withValue(silent, operation: body)
    }
    let news = UpdateLock.shared.collectingNews {
      withSilence {
        for group in groups.values {
          group[0].value.defaults.setStored(
            Dictionary(uniqueKeysWithValues: group.map { ($0.key, $0.value.value) }))
        }
      }
    }
    UpdateLock.shared.afterwards { withSilence { for call in news { call() } } }
  }
}
