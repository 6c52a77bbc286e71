extension PropertyList {
  /// Parses a binary property list (`bplist00`) from a file's bytes.
  ///
  /// Only the objects to which the root leads are read, each once; all references to an object share its
  /// memory. A reference of a keyed archive becomes a dictionary with the one key `CF$UID` and an integer, as
  /// in Apple's XML, and ``binaryBytes()`` makes it a reference again if the number is at most 2^32−1; a file
  /// with such a dictionary is read as the same value. A lone surrogate is read as U+FFFD.
  ///
  /// Refused are null and sets, for which there is no value; integers outside of −2^63 to 2^64−1; a key that
  /// is not a string, or that occurs twice in one dictionary; a container that contains itself; objects
  /// outside of the file or of an unknown kind; and a table of offsets that does not fill the space between
  /// the objects and the trailer.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - bounds: The bounds of the parser; ``Bounds/sharingFactor`` limits the value of a small file.
  /// - Throws: ``PropertyListError`` with the number of the object and the offset of the byte that are wrong.
  /// - Complexity: linear in the number of bytes, in time and memory, even if objects are shared or overlap;
  ///   no recursion.
  public init(parsingBinary bytes: [UInt8], bounds: Bounds = Bounds()) throws(PropertyListError) {
    self = try PropertyList.parsingWithWarnings(binary: bytes, bounds: bounds).value
  }

  /// Parses a binary property list, and gives at most twenty warnings.
  ///
  /// The value is the same as from ``init(parsingBinary:bounds:)``, which gives no warnings.
  package static func parsingWithWarnings(
    binary bytes: [UInt8], bounds: Bounds = Bounds()
  ) throws(PropertyListError) -> (value: PropertyList, warnings: [PropertyListWarning]) {
    guard bytes.count <= bounds.byteCount else {
      throw PropertyListError(
        message: "the file has \(bytes.count) bytes; at most \(bounds.byteCount) are read")
    }
    let objects = try BinaryObjects(bytes.span, bounds: bounds)
    var parser = BinaryParser(objects, byteCount: bytes.count, bounds: bounds)
    let value = try parser.document()
    return (value, parser.warnings)
  }

  /// Whether bytes begin as a binary property list of any version does.
  ///
  /// It reads the first six bytes; a text that begins with them is treated as a binary property list.
  package static func isBinary(_ bytes: [UInt8]) -> Bool {
    BinaryTrailer.recognises(bytes)
  }
}

/// Traverses a binary property list in depth from the root, and makes the value of each
/// object when it is reached first.
///
/// It uses explicit stacks in place of recursion. The open containers are in `open`; all of them, except
/// large arrays, share the stack of the values that are read so far, as in ``PropertyListParser``. The values
/// are kept for further references.
struct BinaryParser: ~Copyable, ~Escapable {
  private let objects: BinaryObjects
  private let limits: BinaryExpansion.Limits
  private let depthBound: Int
  private var open: [OpenContainer] = []
  private var values = UniqueStack<PropertyList>(capacity: 256)
  private var read: BinaryValues
  /// The number of bytes of all objects that have been reached, each counted once.
  private var claims = 0
  private(set) var warnings: [PropertyListWarning] = []

  private static let warningLimit = 20

  /// A container whose elements or values are being read.
  private struct OpenContainer {
    let header: BinaryObjects.Header
    /// The offset of the references to elements or values.
    let references: Int
    /// The number of references that have been followed.
    var next = 0
    /// The index of its first value in the stack.
    let firstValue: Int
    var expansion = BinaryExpansion.emptyContainer
    /// The elements so far of a large array, which would take twice the memory if they were on the stack.
    var elements: [PropertyList] = []

    var isLargeArray: Bool { header.kind == .array && header.count >= BinaryParser.largeCount }
  }

  /// The minimum number of elements of a large array.
  private static let largeCount = 4096

  @_lifetime(copy objects)
  init(_ objects: BinaryObjects, byteCount: Int, bounds: PropertyList.Bounds) {
    self.objects = objects
    limits = BinaryExpansion.Limits(byteCount: byteCount, bounds: bounds)
    depthBound = min(bounds.depth, PropertyList.maximumDepth)
    read = BinaryValues(objects, claims: limits.claims)
  }

  mutating func document() throws(PropertyListError) -> PropertyList {
    let header = try header(of: objects.trailer.root)
    switch header.kind {
    case .array, .dictionary: try openContainer(header)
    case .uid:
      try checkDepth(1, header.object, at: header.offset)
      return try objects.uid(header)
    default: return try scalar(header)
    }
    // The innermost container is taken out, because access within the array takes longer at each step.
    while var container = open.popLast() {
      if let inner = try readValues(of: &container) {
        open.append(container)
        try openContainer(inner)
      } else {
        try close(container)
      }
    }
    return values.pop()
  }

  // MARK: - Containers

  private mutating func openContainer(_ header: BinaryObjects.Header) throws(PropertyListError) {
    try checkDepth(open.count + 1, header.object, at: header.offset)
    read.begin(header.object)
    let keyBytes = header.kind == .dictionary ? header.byteCount / 2 : 0
    var container = OpenContainer(
      header: header, references: header.start + keyBytes, firstValue: values.count)
    if container.isLargeArray { container.elements.reserveCapacity(header.count) }
    open.append(container)
  }

  /// Reads the values of the innermost container, and gives the next container to open; nil if there is none.
  private mutating func readValues(
    of container: inout OpenContainer
  ) throws(PropertyListError) -> BinaryObjects.Header? {
    let size = objects.trailer.referenceSize
    let depth = open.count + 1
    while container.next < container.header.count {
      let place = container.references + container.next * size
      let object = try objects.reference(at: place, from: container.header)
      container.next += 1
      switch read.state(of: object) {
      case .scalar(let index):
        let value = read.scalar(index)
        try count(values: 1, payload: value.payload, height: 0, in: &container)
        push(value, in: &container)
      case .container(let index):
        let expansion = read.expansion(index)
        try checkDepth(depth + expansion.height, object, at: place)
        try count(
          values: expansion.values, payload: expansion.payload, height: expansion.height, in: &container)
        push(read.container(index), in: &container)
      case .open:
        throw objects.error("contains itself, by way of this reference", object, at: place)
      case .unread:
        let header = try header(of: object)
        switch header.kind {
        case .array, .dictionary:
          return header
        case .uid:
          try checkDepth(depth + 1, object, at: header.offset)
          let value = try objects.uid(header)
          // The dictionary contains a key and a number.
          let expansion = BinaryExpansion(values: 3, payload: 6, height: 1)
          try count(values: 3, payload: 6, height: 1, in: &container)
          read.keep(value, expansion, of: object)
          push(value, in: &container)
        default:
          let value = try scalar(header)
          try count(values: 1, payload: value.payload, height: 0, in: &container)
          read.keep(value, of: object)
          push(value, in: &container)
        }
      }
    }
    return nil
  }

  @inline(__always)
  private mutating func push(_ value: PropertyList, in container: inout OpenContainer) {
    if container.isLargeArray { container.elements.append(value) } else { values.push(value) }
  }

  /// Makes the container that was the innermost from its values, and adds it to the container around it.
  private mutating func close(_ container: consuming OpenContainer) throws(PropertyListError) {
    var container = container
    let header = container.header
    let value: PropertyList
    if container.isLargeArray {
      value = .array(container.elements)
    } else if header.kind == .array {
      value = .array(values.pop(from: container.firstValue))
    } else {
      value = .dictionary(try dictionary(of: &container))
    }
    let expansion = container.expansion
    read.keep(value, expansion, of: header.object)
    guard var outer = open.popLast() else { return values.push(value) }
    try count(values: expansion.values, payload: expansion.payload, height: expansion.height, in: &outer)
    push(value, in: &outer)
    open.append(outer)
  }

  private mutating func dictionary(
    of container: inout OpenContainer
  ) throws(PropertyListError) -> [PropertyListKey: PropertyList] {
    let header = container.header
    var entries = [PropertyListKey: PropertyList](minimumCapacity: header.count)
    for index in stride(from: header.count - 1, through: 0, by: -1) {
      let place = header.start + index * objects.trailer.referenceSize
      let object = try objects.reference(at: place, from: header)
      let key = try key(object, at: place, in: header)
      try count(values: 1, payload: key.text.utf8.count, height: 0, in: &container)
      if entries.updateValue(values.pop(), forKey: key) != nil {
        throw objects.error(
          "has the key “\(TextCursor.shown(key.text))” twice", header.object, at: place)
      }
    }
    return entries
  }

  @inline(__always)
  private mutating func key(
    _ object: Int, at place: Int, in container: BinaryObjects.Header
  ) throws(PropertyListError) -> PropertyListKey {
    switch read.state(of: object) {
    case .scalar(let index):
      if case .string(let text) = read.scalar(index) { return PropertyListKey(text) }
    case .unread:
      let header = try header(of: object)
      if header.kind == .ascii || header.kind == .utf16 {
        let value = try scalar(header)
        read.keep(value, of: object)
        if case .string(let text) = value { return PropertyListKey(text) }
      }
    case .open, .container:
      break
    }
    throw objects.error("has object \(object) for a key, which is no string", container.object, at: place)
  }

  // MARK: - Objects

  /// Finds an object that is reached for the first time.
  @inline(__always)
  private mutating func header(of object: Int) throws(PropertyListError) -> BinaryObjects.Header {
    let header = try objects.header(of: object)
    // The marker is counted, so that each object has at least one byte.
    claims += header.start - header.offset + header.byteCount
    guard claims <= limits.claims else {
      throw objects.error(
        "overlaps others: together they would expand to more bytes than the file has", object,
        at: header.offset)
    }
    return header
  }

  @inline(__always)
  private mutating func scalar(_ header: BinaryObjects.Header) throws(PropertyListError) -> PropertyList {
    try objects.scalar(header) { warn(header.object, at: $0) }
  }

  private mutating func warn(_ object: Int, at offset: Int) {
    guard warnings.count < BinaryParser.warningLimit else { return }
    warnings.append(
      PropertyListWarning(
        kind: .loneSurrogate, message: "half a surrogate pair stands for no character and is read as U+FFFD",
        object: object, offset: offset))
  }

  // MARK: - Bounds

  @inline(__always)
  private func count(
    values: Int, payload: Int, height: Int, in container: inout OpenContainer
  ) throws(PropertyListError) {
    guard container.expansion.add(values: values, payload: payload, height: height, limits: limits) else {
      throw objects.error(
        "refers to shared objects so often that its value would be too large", container.header.object,
        at: container.header.offset)
    }
  }

  @inline(__always)
  private func checkDepth(_ depth: Int, _ object: Int, at offset: Int) throws(PropertyListError) {
    guard depth <= depthBound else {
      throw objects.error("makes more than \(depthBound) nested containers", object, at: offset)
    }
  }
}
