/// A reference that does not retain its object, nor slow it down before it is read.
///
/// A `weak` variable moves the counts of its object to a side table for as long as the object exists, and each
/// retain and release of the object then takes longer. This reference does so only when it is read for the first
/// time: objects of which no observer has ever been called are not slowed down.
///
/// It may be read while the object exists, and also while its `deinit` runs. Therefore a lock guards it: the
/// object's `deinit` takes the lock to remove the reference, and whoever reads it holds the lock.
struct UnretainedReference: @unchecked Sendable {
  // Unchecked, because the compiler does not know the lock.

  #if canImport(ObjectiveC)
    // Objective-C's weak references do not slow the object down, and its runtime stops a program that forms one
    // while the object's `deinit` runs.
    private weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }

    /// The object, retained; nil if its last reference was released, so that its `deinit` runs.
    var retained: AnyObject? { object }
  #else
    private let object: Unmanaged<AnyObject>

    init(_ object: AnyObject) { self.object = .passUnretained(object) }

    /// The object, retained; nil if its last reference was released, so that its `deinit` runs.
    var retained: AnyObject? {
      // Retained until the result is: if this were the last reference, its release would run the `deinit` here, which
      // waits for the lock that the caller holds.
      let object = object.takeUnretainedValue()
      weak let formed = object
      return withExtendedLifetime(object) { formed }
    }
  #endif
}
