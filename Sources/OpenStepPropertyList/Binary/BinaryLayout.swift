/// The containers of a binary property list that is being written, as the numbers of what they hold, and the file.
struct BinaryLayout: ~Copyable {
  // Not private: in a debug build the compiler does not find how to let go of a stack of such in another file.
  struct Container {
    let object: Int
    /// 0xA0 for an array, 0xD0 for a dictionary.
    let kind: UInt8
    let count: Int
    /// Where its references begin: those of a dictionary's keys, and behind them those of its values.
    let firstReference: Int

    var referenceCount: Int { kind == 0xD0 ? 2 * count : count }
    /// How many bytes stand before the references.
    var headLength: Int { count < 15 ? 1 : 2 + BinaryScalarTable.size(of: UInt64(count)) }
  }

  private var containers = MoveStack<Container>(capacity: 64)
  private var references: [UInt32] = []

  var referenceCount: Int { references.count }

  /// Makes room for the references of an array, and gives the place of the first.
  mutating func addArray(_ object: UInt32, count: Int) -> Int { add(object, 0xA0, count, references: count) }

  /// Makes room for the references of a dictionary, and gives the place of the first.
  mutating func addDictionary(_ object: UInt32, count: Int) -> Int {
    add(object, 0xD0, count, references: 2 * count)
  }

  private mutating func add(_ object: UInt32, _ kind: UInt8, _ count: Int, references added: Int) -> Int {
    let first = references.count
    containers.push(Container(object: Int(object), kind: kind, count: count, firstReference: first))
    references.append(contentsOf: repeatElement(0, count: added))
    return first
  }

  /// The number of the object to which a reference leads.
  @inline(__always)
  subscript(reference: Int) -> UInt32 {
    get { references[reference] }
    set { references[reference] = newValue }
  }

  // MARK: - The file

  /// The whole file, of containers and scalars in the order of their numbers.
  func bytes(with scalars: borrowing BinaryScalarTable) -> [UInt8] {
    let objectCount = scalars.objectCount
    // Foundation reads no file whose references could not hold the number of objects.
    let referenceSize = BinaryScalarTable.size(of: UInt64(objectCount))
    var offsetTable = 8 + scalars.byteCount + references.count * referenceSize
    for index in 0..<containers.count { offsetTable += containers[index].headLength }
    let offsetSize = BinaryScalarTable.size(of: UInt64(offsetTable))
    let byteCount = offsetTable + objectCount * offsetSize + BinaryTrailer.byteCount
    return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
      var output = Output(
        buffer, referenceSize: referenceSize, offsetSize: offsetSize, offsetTable: offsetTable)
      output.append(BinaryTrailer.head)
      var next = 0
      for index in 0..<containers.count {
        let container = containers[index]
        output.append(scalars, from: next, to: container.object)
        output.appendOffset()
        append(container, to: &output)
        next = container.object + 1
      }
      output.append(scalars, from: next, to: objectCount)
      output.appendTrailer(objectCount: objectCount)
      initializedCount = output.finish()
    }
  }

  private func append(_ container: Container, to output: inout Output) {
    if container.count < 15 {
      output.append(UInt64(container.kind) | UInt64(container.count), size: 1)
    } else {
      let size = BinaryScalarTable.size(of: UInt64(container.count))
      output.append(UInt64(container.kind | 0xF), size: 1)
      output.append(0x10 | UInt64(size.trailingZeroBitCount), size: 1)
      output.append(UInt64(container.count), size: size)
    }
    let first = container.firstReference
    references.withUnsafeBufferPointer { output.append($0[first..<first + container.referenceCount]) }
  }

  /// The memory of the file while it is filled from two sides: with objects, and with their offsets behind them.
  private struct Output {
    private let memory: UnsafeMutableRawPointer
    private let byteCount: Int
    private let referenceSize: Int
    private let offsetSize: Int
    private let offsetTable: Int
    private var place = 0
    private var nextOffset: Int

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>, referenceSize: Int, offsetSize: Int, offsetTable: Int) {
      guard let start = buffer.baseAddress else { preconditionFailure("a file has at least its trailer") }
      memory = UnsafeMutableRawPointer(start)
      byteCount = buffer.count
      self.referenceSize = referenceSize
      self.offsetSize = offsetSize
      self.offsetTable = offsetTable
      nextOffset = offsetTable
    }

    mutating func append(_ text: StaticString) {
      (memory + place).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
      place += text.utf8CodeUnitCount
    }

    @inline(__always)
    mutating func append(_ number: UInt64, size: Int) {
      BinaryLayout.Output.store(number, size: size, at: memory + place)
      place += size
    }

    mutating func append(_ references: Slice<UnsafeBufferPointer<UInt32>>) {
      for reference in references { append(UInt64(reference), size: referenceSize) }
    }

    /// Notes that an object begins here.
    @inline(__always)
    mutating func appendOffset() { appendOffset(place) }

    @inline(__always)
    private mutating func appendOffset(_ offset: Int) {
      BinaryLayout.Output.store(UInt64(offset), size: offsetSize, at: memory + nextOffset)
      nextOffset += offsetSize
    }

    /// Appends scalars whose numbers follow each other, all at once.
    mutating func append(_ scalars: borrowing BinaryScalarTable, from first: Int, to end: Int) {
      guard first < end else { return }
      let start = scalars.start(of: first)
      for object in first..<end { appendOffset(place + scalars.start(of: object) - start) }
      let stop = end < scalars.objectCount ? scalars.start(of: end) : scalars.byteCount
      guard let bytes = scalars.bytes.baseAddress else { return }
      (memory + place).copyMemory(from: bytes + start, byteCount: stop - start)
      place += stop - start
    }

    mutating func appendTrailer(objectCount: Int) {
      precondition(place == offsetTable, "the objects have another length than was counted")
      place = nextOffset
      append(0, size: 4)
      append(0, size: 2)
      append(UInt64(offsetSize), size: 1)
      append(UInt64(referenceSize), size: 1)
      append(UInt64(objectCount), size: 8)
      append(0, size: 8)
      append(UInt64(offsetTable), size: 8)
    }

    func finish() -> Int {
      precondition(place == byteCount, "the file has another length than was counted")
      return place
    }

    /// Stores a number of 1, 2, 4 or 8 bytes.
    @inline(__always)
    private static func store(_ number: UInt64, size: Int, at target: UnsafeMutableRawPointer) {
      switch size {
      case 1: target.storeBytes(of: UInt8(truncatingIfNeeded: number), as: UInt8.self)
      case 2: target.storeBytes(of: UInt16(truncatingIfNeeded: number).bigEndian, as: UInt16.self)
      case 4: target.storeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian, as: UInt32.self)
      default: target.storeBytes(of: number.bigEndian, as: UInt64.self)
      }
    }
  }
}
