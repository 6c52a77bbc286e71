extension PropertyList {
  /// The value as a binary property list (`bplist00`); ``init(parsingBinary:bounds:)`` reads
  /// it back to an equal value.
  ///
  /// Equal strings, numbers, dates and data are written once and shared by references, as in Foundation;
  /// equal containers are not shared, because a reader that makes mutable containers would make only one.
  /// Objects are in Foundation's order, but the keys of a dictionary are sorted by their bytes, so that equal
  /// values have equal files. A dictionary with the one key `CF$UID` and an integer from 0 to 2^32−1 becomes
  /// a reference of a keyed archive. The format represents all other values exactly: fractions of a second,
  /// −0.0, the bits of NaN.
  ///
  /// - Throws: ``PropertyListError`` if more than ``maximumDepth`` containers are nested, or if there are
  ///   more than ``maximumObjectCount`` different objects.
  /// - Complexity: linear in the length of the file, apart from sorting keys; no recursion.
  public func binaryBytes() throws(PropertyListError) -> [UInt8] {
    var writer = BinaryWriter()
    // The writer uses entries without retaining them.
    return try withExtendedLifetime(self) { () throws(PropertyListError) in try writer.bytes(of: self) }
  }
}

/// Numbers the objects of a value from the outside to the inside, and lays them out when all are numbered.
///
/// The size of a reference depends on the number of objects. Therefore containers are kept as the numbers of
/// their contents until then; scalars are encoded at once.
struct BinaryWriter: ~Copyable {
  private var scalars = BinaryScalarTable()
  private var layout = BinaryLayout()
  /// The open containers, from the outermost to the innermost.
  private var open: [OpenContainer] = []
  /// The entries of the open dictionaries.
  private var entries = SortedEntryStack()

  /// A container whose elements or values are being numbered.
  private struct OpenContainer {
    /// The elements of an array; nil for a dictionary.
    let elements: [PropertyList]?
    /// The index of a dictionary's first entry in the stack.
    let firstEntry: Int
    /// The index in the layout of the first element's or value's number.
    let firstReference: Int
    var next = 0
  }

  mutating func bytes(of root: PropertyList) throws(PropertyListError) -> [UInt8] {
    _ = try number(of: root)
    while let container = open.last {
      if let elements = container.elements {
        try numberElements(elements, of: container)
      } else {
        try numberValues(of: container)
      }
    }
    return layout.bytes(with: scalars)
  }

  /// The number of a scalar, which may exist already, or of a container, which is opened.
  @inline(__always)
  private mutating func number(of value: PropertyList) throws(PropertyListError) -> UInt32 {
    guard scalars.objectCount < PropertyList.maximumObjectCount else {
      throw PropertyListError(
        message:
          "the value has more than \(PropertyList.maximumObjectCount) objects, too many to be read back")
    }
    switch value {
    case .string(let text): return scalars.number(of: text, sharedBytes: layout.referenceCount)
    case .data(let bytes): return scalars.number(of: bytes, sharedBytes: layout.referenceCount)
    case .integer(let number): return scalars.number(of: number)
    case .real(let number): return scalars.number(of: number)
    case .float(let number): return scalars.number(of: number)
    case .boolean(let isTrue): return scalars.number(of: isTrue)
    case .date(let date): return scalars.number(of: date)
    case .array(let elements): return try open(elements)
    case .dictionary(let dictionary): return try open(dictionary)
    }
  }

  // MARK: - Containers

  private mutating func open(_ elements: [PropertyList]) throws(PropertyListError) -> UInt32 {
    try WritingBounds.checkDepth(open.count)
    let number = scalars.addContainer()
    let firstReference = layout.addArray(number, count: elements.count)
    if !elements.isEmpty {
      open.append(
        OpenContainer(elements: elements, firstEntry: entries.count, firstReference: firstReference))
    }
    return number
  }

  private mutating func open(
    _ dictionary: [PropertyListKey: PropertyList]
  ) throws(PropertyListError) -> UInt32 {
    try WritingBounds.checkDepth(open.count)
    if let uid = PropertyList.uid(dictionary) { return scalars.number(ofUID: uid) }
    let number = scalars.addContainer()
    let firstReference = layout.addDictionary(number, count: dictionary.count)
    if dictionary.isEmpty { return number }
    let firstEntry = entries.count
    entries.push(dictionary)
    for position in firstEntry..<entries.count {
      let index = position - firstEntry
      if index % SortedEntryStack.batch == 0 { entries.fetchBatch(at: position) }
      layout[firstReference + index] = scalars.number(
        of: entries[position].key.text, sharedBytes: layout.referenceCount)
    }
    open.append(
      OpenContainer(
        elements: nil, firstEntry: firstEntry, firstReference: firstReference + dictionary.count))
    return number
  }

  /// Numbers the elements of the innermost open array until a container is opened, or all.
  private mutating func numberElements(
    _ elements: [PropertyList], of container: OpenContainer
  ) throws(PropertyListError) {
    let depth = open.count
    for index in container.next..<elements.count {
      layout[container.firstReference + index] = try number(of: elements[index])
      if open.count > depth {
        open[depth - 1].next = index + 1
        return
      }
    }
    open.removeLast()
  }

  /// Numbers the values of the innermost open dictionary until a container is opened, or all.
  private mutating func numberValues(of container: OpenContainer) throws(PropertyListError) {
    let depth = open.count
    // The entries of the innermost dictionary are at the top of the stack.
    for index in container.next..<entries.count - container.firstEntry {
      let value = entries[container.firstEntry + index].value
      layout[container.firstReference + index] = try number(of: value)
      if open.count > depth {
        open[depth - 1].next = index + 1
        return
      }
    }
    entries.removeAll(from: container.firstEntry)
    open.removeLast()
  }
}
