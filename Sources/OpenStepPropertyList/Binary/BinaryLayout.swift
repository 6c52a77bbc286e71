/// The layout of a binary property list that is being written: its containers with
/// their references, and the file.
struct BinaryLayout: ~Copyable {
  // Not private, because a debug build could not destroy a stack of a type that is private to this file.
  struct Container {
    let object: Int
    /// 0xA0 for an array, 0xD0 for a dictionary.
    let kind: UInt8
    let count: Int
    /// The index of its first reference. A dictionary has the references of its
    /// keys, then those of its values.
    let firstReference: Int

    var referenceCount: Int { kind == 0xD0 ? 2 * count : count }
    /// The number of bytes before the references.
    var headLength: Int { count < 15 ? 1 : 2 + BinaryScalarTable.size(of: UInt64(count)) }
  }

  private var containers = UniqueStack<Container>(capacity: 64)
  private var references: [UInt32] = []

  var referenceCount: Int { references.count }

  /// Adds an array with room for its references, and gives the index of the first.
  mutating func addArray(_ object: UInt32, count: Int) -> Int { add(object, 0xA0, count, references: count) }

  /// Adds a dictionary with room for its references, and gives the index of the first.
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

  /// The whole file, with containers and scalars in the order of their numbers.
  func bytes(with scalars: borrowing BinaryScalarTable) -> [UInt8] {
    let objectCount = scalars.objectCount
    // Foundation refuses a file whose references have too few bytes for the number of objects.
    let referenceSize = BinaryScalarTable.size(of: UInt64(objectCount))
    var offsetTable = 8 + scalars.byteCount + references.count * referenceSize
    for index in 0..<containers.count { offsetTable += containers[index].headLength }
    let offsetSize = BinaryScalarTable.size(of: UInt64(offsetTable))
    let byteCount = offsetTable + objectCount * offsetSize + BinaryTrailer.byteCount
    var file = TextOutput(capacity: 0)
    return file.array(capacity: byteCount) { file in
      var output = Output(referenceSize: referenceSize, offsetSize: offsetSize, objectCount: objectCount)
      swap(&output.objects, &file)
      defer { swap(&output.objects, &file) }
      output.objects.append(BinaryTrailer.head)
      var next = 0
      for index in 0..<containers.count {
        let container = containers[index]
        output.append(scalars, from: next, to: container.object)
        output.appendOffset()
        append(container, to: &output)
        next = container.object + 1
      }
      output.append(scalars, from: next, to: objectCount)
      precondition(output.objects.count == offsetTable, "the objects have another length than was counted")
      output.appendTableAndTrailer()
      precondition(output.objects.count == byteCount, "the file has another length than was counted")
    }
  }

  private func append(_ container: Container, to output: inout Output) {
    if container.count < 15 {
      output.objects.append(container.kind | UInt8(container.count))
    } else {
      let size = BinaryScalarTable.size(of: UInt64(container.count))
      output.objects.append(container.kind | 0xF)
      output.objects.append(0x10 | UInt8(size.trailingZeroBitCount))
      output.objects.append(bigEndian: UInt64(container.count), count: size)
    }
    let first = container.firstReference
    output.append(references.span.extracting(first..<first + container.referenceCount))
  }

  /// The objects of the file, and their offsets, which follow them in the file.
  private struct Output: ~Copyable {
    var objects = TextOutput(capacity: 0)
    private var offsets: TextOutput
    private let referenceSize: Int
    private let offsetSize: Int
    private let objectCount: Int

    init(referenceSize: Int, offsetSize: Int, objectCount: Int) {
      self.referenceSize = referenceSize
      self.offsetSize = offsetSize
      self.objectCount = objectCount
      offsets = TextOutput(capacity: objectCount * offsetSize)
    }

    mutating func append(_ references: Span<UInt32>) {
      let size = referenceSize
      objects.append(atMost: references.count * size) { room in
        for index in 0..<references.count { room.append(bigEndian: UInt64(references[index]), count: size) }
      }
    }

    /// Records that an object begins here.
    @inline(__always)
    mutating func appendOffset() {
      offsets.append(bigEndian: UInt64(objects.count), count: offsetSize)
    }

    /// Appends scalars with consecutive numbers, all at once.
    mutating func append(_ scalars: borrowing BinaryScalarTable, from first: Int, to end: Int) {
      guard first < end else { return }
      let start = scalars.start(of: first)
      let (place, size) = (objects.count, offsetSize)
      offsets.append(atMost: (end - first) * size) { room in
        for object in first..<end {
          room.append(bigEndian: UInt64(place + scalars.start(of: object) - start), count: size)
        }
      }
      let stop = end < scalars.objectCount ? scalars.start(of: end) : scalars.byteCount
      objects.append(scalars.bytes.slice(start..<stop))
    }

    mutating func appendTableAndTrailer() {
      let offsetTable = objects.count
      objects.append(offsets)
      objects.append(0, count: 6)
      objects.append(UInt8(offsetSize))
      objects.append(UInt8(referenceSize))
      for number in [objectCount, 0, offsetTable] { objects.append(bigEndian: UInt64(number), count: 8) }
    }
  }
}
