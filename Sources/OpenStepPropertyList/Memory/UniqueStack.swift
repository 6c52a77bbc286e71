/// A unique stack: elements are moved in and out of a buffer that has one owner and grows by doubling.
///
/// Every key and value of a text passes over such a stack. An array would ask at each step whether it
/// is shared, and gives its last elements back one by one; that took a tenth of the time of reading.
/// It is safe because exactly the first `count` places hold elements, and because what is taken off
/// is compared with `count` first.
struct UniqueStack<Element>: ~Copyable {
  private var memory: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  /// Makes an empty stack with room for so many elements.
  init(capacity: Int) {
    self.capacity = capacity
    memory = .allocate(capacity: capacity)
  }

  /// Makes a stack of so many equal elements.
  init(repeating element: Element, count: Int) {
    self.init(capacity: count)
    memory.initialize(repeating: element, count: count)
    self.count = count
    checkInvariants()
  }

  deinit {
    memory.deinitialize(count: count)
    memory.deallocate()
  }

  /// Stops a debug build where the elements have no room in the buffer.
  func checkInvariants() {
    assert(count >= 0 && count <= capacity, "more elements are held than there is room for")
  }

  @inline(__always)
  mutating func push(_ element: consuming Element) {
    if count == capacity { grow() }
    (memory + count).initialize(to: element)
    count += 1
    checkInvariants()
  }

  /// The element at a place, which stays there.
  @inline(__always)
  subscript(place: Int) -> Element {
    get {
      precondition(place >= 0 && place < count, "the stack has no element \(place)")
      return memory[place]
    }
    set {
      precondition(place >= 0 && place < count, "the stack has no element \(place)")
      memory[place] = newValue
    }
  }

  /// Takes off the last element, of which there must be one.
  @inline(__always)
  mutating func pop() -> Element {
    precondition(count > 0, "an empty stack has no last element")
    count -= 1
    checkInvariants()
    return (memory + count).move()
  }

  /// Takes off the elements from a place on.
  mutating func pop(from first: Int) -> [Element] {
    precondition(first >= 0 && first <= count, "the stack does not reach up to \(first)")
    let taken = count - first
    count = first
    checkInvariants()
    return [Element](unsafeUninitializedCapacity: taken) { [memory] buffer, initializedCount in
      buffer.baseAddress?.moveInitialize(from: memory + first, count: taken)
      initializedCount = taken
    }
  }

  private mutating func grow() {
    capacity = max(2 * capacity, 16)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    larger.moveInitialize(from: memory, count: count)
    memory.deallocate()
    memory = larger
  }
}
