import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
import OpenStepPropertyList

/// Updates: changes of values by their present ones, which no other update comes between.
extension UserDefaultsAdditions {
  /// Changes the value for a key by its present one, so that no change of this process is lost.
  ///
  /// ```swift
  /// defaults.modify(forKey: "Count") { $0 = ($0 as? Int ?? 0) + 1 }
  /// ```
  ///
  /// No other `modify`, transaction, commit or set of this process comes between the reading and the writing,
  /// whichever class and object it uses. Changes by other processes may; `commit(_:)` keeps those out as
  /// well. In memory it takes about the time of a read and a set, and waits for no disk, except while another
  /// thread commits.
  ///
  /// While the body runs, other updates of the process wait, so it should be short. It must not wait for another thread
  /// that makes an update or sets the key: if one sets it meanwhile, the body runs again with the new value; if the body
  /// sets it, its result comes after that. Observers and notifications of what is changed in the body come when
  /// the update has ended. If the body throws, nothing is changed. If the administrator has set the key, the change is
  /// refused like that of ``UserDefaults/set(_:forKey:)-(Any?,_)``. If the domain's file is damaged or could not be
  /// read, the body begins with what a lookup finds then, such as a registered value; `commit(_:)` throws in its
  /// place. In a subclass the value is read by ``UserDefaults/object(forKey:)`` and
  /// set by ``UserDefaults/set(_:forKey:)-(Any?,_)``, and a set by another thread may come between the two.
  ///
  /// What another program has stored stays as it is, except where the body changes it:
  ///
  /// - More nested containers than a setter takes stay. If the result nests more than a file may, or in a subclass more
  ///   than a setter takes, nothing is changed, and ``lastError`` and ``errors`` say so.
  /// - Of keys that are equal to Swift the body sees one. All stay in a dictionary that keeps its keys in the dictionaries
  ///   around it; in an array they stay with an element that is moved, or changed in its place so that it is not
  ///   like another one, but not with one that is changed and moved at once. Elsewhere, and in a subclass, one of them is stored.
  ///
  /// - Parameters:
  ///   - defaultName: The key.
  ///   - body: Is given what ``UserDefaults/object(forKey:)`` gives, and changes it; nil removes the key.
  /// - Returns: What the body returns.
  /// - Precondition: The new value is a property list, as for ``UserDefaults/set(_:forKey:)-(Any?,_)``.
  @discardableResult
  @_disfavoredOverload
  @inlinable
  public func modify<Result, Failure: Error>(
    forKey defaultName: String, _ body: (inout Any?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Swift.Result<Result, Failure>?
    updateObject(forKey: defaultName) { value in
      do throws(Failure) {
        result = .success(try body(&value))
        return true
      } catch {
        result = .failure(error)
        return false
      }
    }
    guard let result else { preconditionFailure("the body was not run") }
    return try result.get()
  }

  /// Does the work of ``modify(forKey:_:)``.
  ///
  /// It is not generic, and its generic caller is compiled with the client's types: the runtime's search for the types
  /// of generic code would take a tenth of the time.
  ///
  /// - Parameter body: Changes the value; false for no change.
  @usableFromInline
  func updateObject(forKey defaultName: String, _ body: (inout Any?) -> Bool) {
    guard isExact else {
      return UpdateLock.shared.hold {
        UpdateLock.shared.run {
          let old = store.value(for: PropertyListKey(defaultName))
          var value = object(forKey: defaultName)
          if body(&value), !refusesDepth(of: value, forKey: defaultName, storedBefore: old) {
            set(value, forKey: defaultName)
          }
        }
      }
    }
    var refusal: DatabaseError?
    modifyStored(PropertyListKey(defaultName)) { found in
      refusal = nil
      let update = ObjectUpdate(of: found, FoundationValues.object)
      var value = update.object
      guard body(&value) else { return nil }
      do throws(InvalidArgumentError) {
        return ValueUpdate(try UserDefaults.stored(value, forKey: defaultName, in: update))
      } catch {
        refusal = update.refusal(of: error, forKey: defaultName)
        if refusal == nil { Misuse.stop("UserDefaults.modify(forKey:_:): \(error)") }
        return nil
      }
    }
    if let refusal { store.report(refusal) }
  }

  /// Makes changes of this object's own domain across processes: reads what is on the disk, changes it, and
  /// returns when the result is on stable storage.
  ///
  /// ```swift
  /// let number = try defaults.commit { draft in
  ///   draft.set(draft.integer(forKey: "Count") + 1, forKey: "Count")
  ///   return draft.integer(forKey: "Count")
  /// }
  /// ```
  ///
  /// The body runs once, under the database's lock: no other process and no other update of this one changes the
  /// domain between its reads and the end of the commit. All of its changes are made, in memory and on the disk,
  /// or none. Changes of the domain that were not saved yet are saved with them. What another thread of this
  /// process sets meanwhile, without an update, counts as set after the commit.
  ///
  /// The body uses the object that it is given, whose domain is the one on the disk with the body's changes;
  /// typed keys of this object mean that object, too. A change of another domain, and a call of
  /// ``UserDefaults/synchronize()`` or of another commit, are refused, and make the commit fail. While the body
  /// runs, other processes wait for the lock, two seconds at most, and then fail; it should do nothing but
  /// compute. Observers and notifications come when the commit has ended. Where a program of the administrator
  /// commits in another user's directory, the body has the program's own rights.
  ///
  /// - Parameter body: Makes the changes.
  /// - Returns: What the body returns.
  /// - Throws: what the body throws; and `DatabaseError`, if this thread has waited two seconds for other processes
  ///   that hold the lock, or for the body of one update of its own process (the error names the process), if a file
  ///   could not be read or written, if the domain's file is damaged, if the administrator has set one of the keys, or
  ///   if the body made a call that is refused. The time in which commits and saves of this process are written is not
  ///   counted. Nothing is changed then, unless the error says that the file is written and only not safe against a
  ///   loss of power, or may be written in a directory that was moved away at that moment.
  @discardableResult
  @_disfavoredOverload
  public func commit<Result>(_ body: (UserDefaults) throws -> Result) throws -> Result {
    try commit(in: nil, body)
  }

  private func commit<Result>(
    in turn: CommitTurn?, _ body: (UserDefaults) throws -> Result
  ) throws -> Result {
    try store.user.commit(
      store.application, observers: store.observers, in: turn,
      { domains, commit in
        let draft = UserDefaults(store: store.draft(in: domains))
        commit.object = draft
        let result = try body(draft)
        if let refusal = draft.store.lastRefusal { throw refusal }
        return result
      }, changed: { postChange() })
  }

  /// Makes changes of this object's own domain across processes, as the synchronous call of that name does,
  /// without blocking the task's thread.
  ///
  /// The commits of a database begin in the order of the calls. The two seconds begin with the call, or when the
  /// asynchronous commit before it last had its locks, if that was later.
  ///
  /// - Parameter body: Makes the changes, on a thread of the package.
  /// - Returns: What the body returns.
  /// - Throws: as the synchronous call.
  @discardableResult
  @_disfavoredOverload
  public func commit<Result: Sendable>(
    _ body: @escaping @Sendable (UserDefaults) throws -> Result
  ) async throws -> Result {
    let standard = StandardOverride.current
    return try await withCheckedThrowingContinuation { continuation in
      store.user.commitAsynchronously { turn in
        continuation.resume(
          with: Swift.Result {
            try StandardOverride.$current.withValue(standard) { try self.commit(in: turn, body) }
          })
      }
    }
  }
}

extension UserDefaults {
  /// Changes a stored value by its present one, and notifies; for classes that build on this one.
  ///
  /// - Parameter closure: Makes the change, or nil for none; may run again.
  package final func modifyStored(_ key: PropertyListKey, _ closure: (PropertyList?) -> ValueUpdate?) {
    if store.modify(key, closure) { postChange() }
  }

  /// The object that takes this one's place in the commit that this thread makes of its domain; nil for none.
  package final var draftInCommit: UserDefaults? {
    guard let commit = UpdateLock.shared.commit, commit.domain === store.application else { return nil }
    return commit.object as? UserDefaults
  }

  /// Reports that a value nests more than a setter takes, if so does the stored one, which may be another program's.
  ///
  /// - Returns: Whether this is so; the value is not to be set then.
  fileprivate func refusesDepth(
    of value: Any?, forKey key: String, storedBefore old: PropertyList?
  ) -> Bool {
    guard let value,
      let refusal = ObjectUpdate.refusal(
        forKey: key, storedBefore: old,
        { () throws(InvalidArgumentError) in try UserDefaults.propertyList(value, forKey: key) })
    else { return false }
    store.report(refusal)
    return true
  }

  /// The form in which the value of an update is stored; nil for nil.
  fileprivate static func stored(
    _ value: Any?, forKey key: String, in update: ObjectUpdate
  ) throws(InvalidArgumentError) -> PropertyList? {
    guard let value else { return nil }
    // Counters are the most frequent updates.
    if type(of: value) == Int.self, let number = value as? Int {
      return .integer(PropertyListInteger(Int64(number)))
    }
    return try update.value { (maximumDepth) throws(InvalidArgumentError) in
      try propertyList(value, forKey: key, maximumDepth: maximumDepth)
    }
  }
}
