/// The values of a binary property list's objects that have been read and may be needed again, by the objects'
/// numbers.
///
/// Each object has a slot of four bytes; the values are in stacks that grow with the objects to which the
/// root leads. An object without a reference takes no more than its slot. Kept are only the objects to which
/// several references lead: to keep the others too would take a third of the time of reading.
struct BinaryValues: ~Copyable {
  /// The state of an object.
  enum State {
    case unread
    /// A container that is read in part.
    case open
    case scalar(Int)
    case container(Int)
  }

  // Not private, because a debug build could not destroy a stack of a type that is private to this file.
  struct Container {
    let value: PropertyList
    let expansion: BinaryExpansion
  }

  /// 0 or 1 for an object that is not read, to which so many references lead; 2 for one to which several lead,
  /// 3 if it is open; 2 (index + 2) for one in the stack of scalars, and 2 (index + 2) + 1 for one in the
  /// stack of containers.
  private var slots: UniqueStack<UInt32>
  private var scalars = UniqueStack<PropertyList>(capacity: 256)
  private var containers = UniqueStack<Container>(capacity: 64)

  private static let several: UInt32 = 2

  /// Makes a table of a file's objects, which are at most ``BinaryTrailer/greatestObjectCount``.
  ///
  /// - Parameter claims: The maximum number of bytes of all containers together. If they overlap so much that
  ///   they have more, all objects are kept.
  init(_ objects: borrowing BinaryObjects, claims: Int) {
    let count = objects.trailer.objectCount
    slots = UniqueStack(repeating: 0, count: count)
    refer(to: objects.trailer.root)
    let size = objects.trailer.referenceSize
    var bytes = 0
    for object in 0..<count {
      guard let references = objects.references(of: object) else { continue }
      bytes += references.count * size
      guard bytes <= claims else {
        slots = UniqueStack(repeating: BinaryValues.several, count: count)
        return
      }
      for index in 0..<references.count {
        let number = objects.number(at: references.start + index * size, size: size)
        // A reference to no object is an error when its container is read, if it ever is.
        if number < UInt64(count) { refer(to: Int(number)) }
      }
    }
  }

  /// Counts a reference to an object.
  @inline(__always)
  private mutating func refer(to object: Int) {
    slots[object] = min(slots[object] + 1, BinaryValues.several)
  }

  @inline(__always)
  func state(of object: Int) -> State {
    let slot = slots[object]
    if slot <= 3 { return slot == 3 ? .open : .unread }
    let place = Int(slot >> 1) - 2
    return slot & 1 == 0 ? .scalar(place) : .container(place)
  }

  @inline(__always)
  func scalar(_ place: Int) -> PropertyList { scalars[place] }

  @inline(__always)
  func container(_ place: Int) -> PropertyList { containers[place].value }

  @inline(__always)
  func expansion(_ place: Int) -> BinaryExpansion { containers[place].expansion }

  /// Marks a container as open. A container to which one reference leads cannot contain itself: on the way
  /// back to it there is one to which two lead.
  mutating func begin(_ object: Int) {
    if slots[object] == BinaryValues.several { slots[object] = 3 }
  }

  @inline(__always)
  mutating func keep(_ scalar: PropertyList, of object: Int) {
    guard slots[object] >= BinaryValues.several else { return }
    slots[object] = UInt32(2 * (scalars.count + 2))
    scalars.push(scalar)
  }

  mutating func keep(_ container: PropertyList, _ expansion: BinaryExpansion, of object: Int) {
    guard slots[object] >= BinaryValues.several else { return }
    slots[object] = UInt32(2 * (containers.count + 2) + 1)
    containers.push(Container(value: container, expansion: expansion))
  }
}
