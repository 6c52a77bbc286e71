/// The values of a binary property list's objects that have been read, by the objects' numbers.
///
/// Each object has a slot of four bytes; the values are in stacks that grow with the objects to which the
/// root leads. An object without a reference takes no more than its slot.
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

  /// 0 for an object that is not read, 1 for an open one; 2 (index + 1) for one in the stack of scalars, and
  /// 2 (index + 1) + 1 for one in the stack of containers.
  private var slots: UniqueStack<UInt32>
  private var scalars = UniqueStack<PropertyList>(capacity: 256)
  private var containers = UniqueStack<Container>(capacity: 64)

  /// Makes a table for so many objects, which are at most ``BinaryTrailer/greatestObjectCount``.
  init(objectCount: Int) {
    slots = UniqueStack(repeating: 0, count: objectCount)
  }

  @inline(__always)
  func state(of object: Int) -> State {
    let slot = slots[object]
    if slot < 2 { return slot == 0 ? .unread : .open }
    let place = Int(slot >> 1) - 1
    return slot & 1 == 0 ? .scalar(place) : .container(place)
  }

  @inline(__always)
  func scalar(_ place: Int) -> PropertyList { scalars[place] }

  @inline(__always)
  func container(_ place: Int) -> PropertyList { containers[place].value }

  @inline(__always)
  func expansion(_ place: Int) -> BinaryExpansion { containers[place].expansion }

  mutating func begin(_ object: Int) {
    slots[object] = 1
  }

  @inline(__always)
  mutating func keep(_ scalar: PropertyList, of object: Int) {
    slots[object] = UInt32(2 * (scalars.count + 1))
    scalars.push(scalar)
  }

  mutating func keep(_ container: PropertyList, _ expansion: BinaryExpansion, of object: Int) {
    slots[object] = UInt32(2 * (containers.count + 1) + 1)
    containers.push(Container(value: container, expansion: expansion))
  }
}
