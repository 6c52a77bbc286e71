import DefaultsDatabase
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
      // Rare enough to be tried twice: else each update would look for the depth.
      guard let depth = stored?.extent.depth, depth > ObjectConversion.maximumDepth else { throw error }
      new = try convert(depth)
    }
    guard losesKeys, let stored else { return new }
    return LargeStack.runWithStackToRelease(room: LargeStack.recursionRoom) {
      ShownPart(new).completed(from: ShownPart(stored))
    }
  }
}
