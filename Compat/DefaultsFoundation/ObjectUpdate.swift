package import DefaultsDatabase
package import OpenStepPropertyList

/// A stored value while a program changes it in the form of an object.
///
/// Another program may have stored what an object does not show, or a setter does not take: keys that are equal to Swift,
/// of which an object has one, and more nested containers. All that stays, except where the program changes it.
package struct ObjectUpdate {
  private let stored: PropertyList?
  private let losesKeys: Bool
  /// The value as an object; nil if there is none.
  package let object: Any?

  /// Converts a value.
  ///
  /// - Parameter convert: Gives the object, and whether it does not have all keys.
  package init(of stored: PropertyList?, _ convert: (PropertyList, inout Bool) -> Any) {
    var losesKeys = false
    object = stored.map { convert($0, &losesKeys) }
    (self.stored, self.losesKeys) = (stored, losesKeys)
  }

  /// The value to be stored after the program has changed the object.
  ///
  /// - Parameter convert: Converts the new object, which may nest as many containers as its argument says.
  /// - Throws: what the closure throws.
  package func value(
    _ convert: (_ maximumDepth: Int) throws(InvalidArgumentError) -> PropertyList
  ) throws(InvalidArgumentError) -> PropertyList {
    let new: PropertyList
    do throws(InvalidArgumentError) {
      new = try convert(ObjectConversion.maximumDepth)
    } catch {
      guard error.exceededDepth != nil, ObjectUpdate.isDeep(stored) else { throw error }
      new = try convert(ObjectUpdate.maximumDepthInDomain)
    }
    guard losesKeys, let stored else { return new }
    return LargeStack.runWithStackToRelease(room: LargeStack.recursionRoom) {
      ShownPart(new).completed(from: ShownPart(stored))
    }
  }

  /// The refusal of an update because of an error, if the program alone is not its cause: the result nests too many
  /// containers, and the stored value more than a setter takes.
  package func refusal(of error: InvalidArgumentError, forKey key: String) -> DatabaseError? {
    ObjectUpdate.refusal(of: error, forKey: key, storedBefore: stored)
  }

  /// The same for an update whose result is given to a setter; nil if that takes it, or stops the program itself.
  ///
  /// - Parameters:
  ///   - stored: The value before the update.
  ///   - convert: Converts the result as the setter does.
  package static func refusal(
    forKey key: String, storedBefore stored: PropertyList?,
    _ convert: () throws(InvalidArgumentError) -> PropertyList
  ) -> DatabaseError? {
    do throws(InvalidArgumentError) {
      _ = try convert()
      return nil
    } catch {
      return refusal(of: error, forKey: key, storedBefore: stored)
    }
  }

  private static func refusal(
    of error: InvalidArgumentError, forKey key: String, storedBefore stored: PropertyList?
  ) -> DatabaseError? {
    guard let limit = error.exceededDepth, isDeep(stored) else { return nil }
    return DatabaseError(
      .refused, path: "“\(key)”", message: "would nest more than \(limit) arrays and dictionaries",
      advice: "nothing was changed")
  }

  /// Whether a value nests more than a setter takes. Linear in its size.
  private static func isDeep(_ value: PropertyList?) -> Bool {
    value.map { $0.extent.depth > ObjectConversion.maximumDepth } ?? false
  }

  /// How many containers a value may nest in a domain's file, whose dictionary is one more.
  private static let maximumDepthInDomain = PropertyList.maximumDepth - 1
}
