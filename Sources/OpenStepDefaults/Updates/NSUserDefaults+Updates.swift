import DefaultsDatabase
package import DefaultsDomains
import DefaultsFoundation
package import OpenStepPropertyList

/// A class with values of its own that the engine updates directly, as those of `NSUserDefaults` itself.
package protocol UpdatedByEngine: NSUserDefaults {
  /// Whether no method is overridden.
  var isExactFace: Bool { get }
  /// What the getters give for a stored value.
  func object(of value: PropertyList, losesKeys: inout Bool) -> Any
  /// What is stored for a value.
  func stored(
    _ value: Any, forKey key: String, maximumDepth: Int
  ) throws(InvalidArgumentError) -> PropertyList
  /// The object that a commit's closure is given.
  func draft(in domains: PersistentDomains) -> NSUserDefaults
}

/// Updates: changes of values by their present ones, which no other update comes between.
extension NSUserDefaultsAdditions {
  /// Changes the value for a key by its present one, so that no change of this process is lost.
  ///
  /// ```swift
  /// defaults.modifyObjectForKey("Names") { $0 = ($0 as? [Any] ?? []) + ["new"] }
  /// ```
  ///
  /// No other update and no set of this process comes between the reading and the writing, whichever class and
  /// object it uses. Changes by other processes may; `commit(_:)` keeps those out as well.
  ///
  /// While the body runs, other updates of the process wait, so it should be short. It must not wait for another thread
  /// that makes an update or sets the key: if one sets it meanwhile, the body runs again with the new value; if the body
  /// sets it, its result comes after that. Observers and notifications of what is changed in the body come when
  /// the update has ended. If the body throws, nothing is changed. If the domain's file is damaged or could not be
  /// read, the body begins with what a lookup finds then, such as a registered value; `commit(_:)` throws in its
  /// place. In a subclass the value is read by ``NSUserDefaults/objectForKey(_:)`` and
  /// set by ``NSUserDefaults/setObject(_:forKey:)``, and a set by another thread may come between the two.
  ///
  /// What another program has stored stays as it is, except where the body changes it, and that in a class whose setters
  /// store strings for numbers, truth values and dates these become strings:
  ///
  /// - More nested containers than a setter takes stay. If the result nests more than a file may, or in a subclass more
  ///   than a setter takes, nothing is changed, and ``lastError`` says so.
  /// - Of keys that are equal to Swift the body sees one. All stay in a dictionary that keeps its keys in the dictionaries
  ///   around it; in an array they stay with an element that is moved, or changed in its place so that it is not
  ///   like another one, but not with one that is changed and moved at once. Elsewhere, and in a subclass, one of them is stored.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: Is given what ``NSUserDefaults/objectForKey(_:)`` gives, and changes it; nil removes the key.
  /// - Returns: What the body returns.
  /// - Precondition: The new value can be set, as for ``NSUserDefaults/setObject(_:forKey:)``.
  @discardableResult
  @_disfavoredOverload
  public func modifyObjectForKey<Result, Failure: Error>(
    _ key: String, _ body: (inout Any?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let lock = UpdateLock.shared
    let face = isExact ? nil : self as? any UpdatedByEngine
    guard isExact || face?.isExactFace ?? false else {
      return try lock.hold { () throws(Failure) in
        try lock.run { () throws(Failure) in
          let old = lookUp(key)
          var value = objectForKey(key)
          let result = try body(&value)
          if !refusesDepth(of: value, forKey: key, storedBefore: old) { setObject(value, forKey: key) }
          return result
        }
      }
    }
    var result: Swift.Result<Result, Failure>?
    var refusal: DatabaseError?
    let storedKey = PropertyListKey(key)
    try lock.hold { () throws(Failure) in
      let isChanged = persistent.modify(
        storedKey, in: application, lookUp: { valueToUpdate(for: storedKey) }
      ) { found in
        refusal = nil
        let update = ObjectUpdate(of: found) {
          face?.object(of: $0, losesKeys: &$1) ?? ClassicValues.object($0, losesKeys: &$1)
        }
        var value = update.object
        do throws(Failure) {
          result = .success(try body(&value))
        } catch {
          result = .failure(error)
          return nil
        }
        guard let value else { return ValueUpdate(nil) }
        do throws(InvalidArgumentError) {
          return ValueUpdate(try NSUserDefaults.stored(value, forKey: key, in: update, face))
        } catch {
          refusal = update.refusal(of: error, forKey: key)
          if refusal == nil {
            Misuse.stop(
              "\(face.map { "\(type(of: $0))" } ?? "NSUserDefaults").modifyObjectForKey(_:_:): \(error)")
          }
          return nil
        }
      }
      if case .failure(let error) = result { throw error }
      if isChanged { postChange() } else { postOtherChange() }
    }
    if let refusal { report(refusal) }
    guard let result else { preconditionFailure("the body was not run") }
    return try result.get()
  }

  /// Makes changes of the application's domain across processes: reads what is on the disk, changes it, and
  /// returns when the result is on stable storage.
  ///
  /// ```swift
  /// try defaults.commit { draft in draft.setInteger(draft.integerForKey("Count") + 1, forKey: "Count") }
  /// ```
  ///
  /// The body runs once, under the database's lock, and in GNUstep's database under GNUstep's lock too: no other
  /// process and no other update of this one changes the domain between its reads and the end of the commit. All
  /// of its changes are made, in memory and on the disk, or none. Changes of the domain that were not saved yet are
  /// saved with them. What another thread of this process sets meanwhile, without an update, counts as set after
  /// the commit.
  ///
  /// The body uses the object that it is given, whose domain is the one on the disk with the body's changes. A
  /// change of another domain, and a call of ``NSUserDefaults/synchronize()`` or of another commit, are refused, and
  /// make the commit fail. While the body runs, other processes wait for the lock, two seconds at most, and then
  /// fail; it should do nothing but compute. Observers and notifications come when the commit has ended.
  ///
  /// - Parameter body: Makes the changes.
  /// - Returns: What the body returns.
  /// - Throws: what the body throws; and `DatabaseError`, if this thread has waited two seconds for other processes
  ///   that hold the lock, or for the body of one update of its own process (the error names the process), if a file
  ///   could not be read or written, if the domain's file is damaged, or if the body made a call that is refused. The
  ///   time in which commits and saves of this process are written is not counted. Nothing is changed then, unless the
  ///   error says that the file is written and only not safe against a loss of power, or may be written in a directory
  ///   that was moved away at that moment.
  @discardableResult
  @_disfavoredOverload
  public func commit<Result>(_ body: (NSUserDefaults) throws -> Result) throws -> Result {
    try commit(in: nil, body)
  }

  private func commit<Result>(
    in turn: CommitTurn?, _ body: (NSUserDefaults) throws -> Result
  ) throws -> Result {
    try persistent.commit(
      application, observers: observing.withLock { $0 }?.keys, in: turn,
      { domains, commit in
        let draft =
          (self as? any UpdatedByEngine)?.draft(in: domains) ?? NSUserDefaults(draftOf: self, in: domains)
        commit.object = draft
        return try body(draft)
      }, changed: { postChange() })
  }

  /// Makes changes of the application's domain across processes, as the synchronous call of that name does,
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
    _ body: @escaping @Sendable (NSUserDefaults) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      persistent.commitAsynchronously { turn in
        continuation.resume(with: Swift.Result { try self.commit(in: turn, body) })
      }
    }
  }
}

extension NSUserDefaults {
  /// What a lookup finds for a key, together with the value of the application's domain from which it comes.
  func valueToUpdate(for key: PropertyListKey) -> ValueToUpdate {
    if let found = path.found(for: key), found.domain == application.identity {
      return ValueToUpdate(found: found.value, own: found.value)
    }
    // The own value is looked up once, so that it and the result agree.
    let own = application.value(for: key)
    for domain in path.domains {
      if domain.identity == application.identity {
        if let own { return ValueToUpdate(found: own, own: own) }
      } else if let value = domain.value(for: key) {
        return ValueToUpdate(found: value, own: own)
      }
    }
    return ValueToUpdate(found: nil, own: own)
  }

  /// The form in which the value of an update is stored.
  fileprivate static func stored(
    _ value: Any, forKey key: String, in update: ObjectUpdate, _ face: (any UpdatedByEngine)?
  ) throws(InvalidArgumentError) -> PropertyList {
    try update.value { (maximumDepth) throws(InvalidArgumentError) in
      if let face { return try face.stored(value, forKey: key, maximumDepth: maximumDepth) }
      return try propertyList(value, forKey: key, maximumDepth: maximumDepth)
    }
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
        { () throws(InvalidArgumentError) in try NSUserDefaults.propertyList(value, forKey: key) })
    else { return false }
    report(refusal)
    return true
  }

  /// Reports a refused update. The commit in which it was made fails.
  fileprivate func report(_ refusal: DatabaseError) {
    UpdateLock.shared.commit?.refuse(refusal)
    persistent.note([refusal])
  }
}
