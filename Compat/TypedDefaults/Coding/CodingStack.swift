import DefaultsDatabase
import DefaultsFoundation
import OpenStepPropertyList

/// The stack space for encoding and decoding, which recurse as deep as a value nests.
enum CodingStack {
  /// The space for the code between two checks, and for writing the encoded text.
  private static let reserve = 64 << 10
  /// The most space for reading one object or array; an unoptimized build needs a third of it for a small type,
  /// and Foundation a sixth of it for an archived array.
  private static let ofLevel = 6 << 10
  /// The most space for releasing one object or array of a program's; Foundation needs a third of it.
  private static let ofReleasedLevel = 768
  /// The same for a container of a property list.
  private static let ofReleasedContainer = LargeStack.roomToLetGo / PropertyList.maximumDepth
  private static let releaseReserve = 16 << 10

  /// The stack space of the thread that will release what this one makes; nil for this thread itself.
  @TaskLocal private static var roomOfCaller: Int?

  /// Checks that the calling thread has room for work that recurses so many times.
  static func check(levels: Int = 0) throws(CodingFailure) {
    guard levels * ofLevel + reserve < StackSpace.left,
      levels == 0 || canRelease(levels, room: roomOfCaller ?? .max)
    else { throw .noStack(levels: levels) }
  }

  /// Encodes a value, on a thread with a larger stack if this one's is too small.
  ///
  /// - Parameter encode: Encodes it; the property list must not nest deeper than can be set, or than this thread
  ///   can release.
  static func encode(
    _ encode: () throws(CodingFailure) -> PropertyList?
  ) throws(CodingFailure) -> PropertyList? {
    let left = StackSpace.left
    return try run { () throws(CodingFailure) in
      guard let stored = try encode() else { return nil }
      let depth = stored.extent.depth
      guard depth <= ObjectConversion.maximumDepth else {
        throw CodingFailure("nests more than \(ObjectConversion.maximumDepth) arrays and dictionaries")
      }
      guard depth * ofReleasedContainer + releaseReserve < left else { throw .noStack(levels: depth) }
      return stored
    }
  }

  /// Runs work, on a thread with a larger stack if this one's is too small.
  ///
  /// What is stored and read must not depend on the thread: a value that one thread could not read would be set
  /// aside as unreadable by the next set.
  ///
  /// - Parameter stored: What the work makes a value of; it is not made if this thread could not release it.
  static func run<Value>(
    thenRelease stored: PropertyList? = nil, _ work: () throws(CodingFailure) -> Value
  ) throws(CodingFailure) -> Value {
    do throws(CodingFailure) {
      return try work()
    } catch {
      let room = roomOfCaller ?? StackSpace.left
      guard let levels = error.missingLevels, canRelease(max(levels, stored?.extent.depth ?? 0), room: room)
      else { throw error }
      return try LargeStack.runWithStackToRelease(room: LargeStack.recursionRoom) {
        () throws(CodingFailure) in
        let result = $roomOfCaller.withValue(room) {
          Result { () throws(CodingFailure) in try work() }
        }
        return try result.get()
      }
    }
  }

  private static func canRelease(_ levels: Int, room: Int) -> Bool {
    levels * ofReleasedLevel + releaseReserve < room
  }
}
