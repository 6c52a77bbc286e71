import DefaultsDomains
import OpenStepPropertyList
public import UserDefaultsCompat

extension Defaults {
  /// Changes the value of a key by its present one, so that no change of this process is lost.
  ///
  /// ```swift
  /// Defaults.modify(.count) { $0 += 1 }
  /// ```
  ///
  /// No other `modify`, transaction, commit or set of this process comes between the reading and the writing,
  /// whichever class and object it uses. Inside a transaction it is part of that. Changes by other processes may come
  /// in between; `UserDefaults.commit(_:)` keeps those out as well.
  ///
  /// While the body runs, other updates of the process wait, so it should be short. It must not wait for another thread
  /// that makes an update or sets the key: if one sets it meanwhile, the body runs again with the new value; if the body
  /// sets it, its result comes after that. Observers of what is changed in the body are called when the update has
  /// ended. If the body throws, nothing is changed. A value that cannot be stored, and a key that the administrator has
  /// set, are refused as by the subscript. If the suite's file is damaged or could not be read, the body begins with
  /// what the subscript gives then; `commit` of the suite throws in its place.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - body: Changes the value.
  /// - Returns: What the body returns.
  @discardableResult
  public static func modify<Value: Serializable, Result, Failure: Error>(
    _ key: Key<Value>, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try key.suite.modify(key, body)
  }
}

extension UserDefaults {
  /// Changes the value of a key in these defaults by its present one; see ``Defaults/modify(_:_:)``.
  @discardableResult
  public func modify<Value: Defaults.Serializable, Result, Failure: Error>(
    _ key: Defaults.Key<Value>, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let draft = draftInCommit { return try draft.modify(key, body) }
    guard isExact, Transaction.current == nil else {
      return try UpdateLock.shared.hold { () throws(Failure) in
        try UpdateLock.shared.run { () throws(Failure) in
          var value = self[key]
          let result = try body(&value)
          self[key] = value
          return result
        }
      }
    }
    key.registerDefault(in: self)
    var result: Swift.Result<Result, Failure>?
    modifyStored(key.storedKey) { found in
      var value = key.value(of: found)
      do throws(Failure) {
        result = .success(try body(&value))
      } catch {
        result = .failure(error)
        return nil
      }
      do throws(CodingFailure) {
        let stored = try key.reader.encode(value)
        key.reader.noteOwn(stored)
        return ValueUpdate(
          stored, besides: changesToKeep(ownValue(for: key.storedKey), besides: stored, of: key))
      } catch {
        key.reader.report(error, name: key.name)
        return nil
      }
    }
    guard let result else { preconditionFailure("the body was not run") }
    return try result.get()
  }
}
