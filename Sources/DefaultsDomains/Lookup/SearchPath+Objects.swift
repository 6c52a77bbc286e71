package import OpenStepPropertyList

extension SearchPath {
  /// The first value for a key as an object; a container is converted once and then kept.
  ///
  /// - Parameter convert: Makes the object; it must not call back.
  package func object(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> Any? {
    // Not by the way of the other getters, which takes half as long again to give an `Any`.
    var unconverted: PropertyList?
    let known = read(key) { entry -> Any? in
      guard let entry else { return nil }
      // A string is an object already.
      if case .string(let text) = entry.pointee.value { return text }
      if let object: Any = entry.pointee.withKnownObject(for: reader, { $0.object }) { return object }
      unconverted = entry.pointee.value
      return nil
    } orWith: { value in
      if case .string(let text)? = value { return text }
      unconverted = value
      return nil
    }
    guard let unconverted else { return known }
    return convertedObject(for: unconverted, of: key, to: reader, convert).object
  }

  /// The first value for a key as ``object(for:to:_:)`` gives it, if it is a dictionary.
  package func dictionary(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [String: Any]? {
    object(for: key, to: reader, convert) {
      if case .dictionary = $0 { true } else { false }
    } known: {
      $0.dictionary
    } made: {
      $1.dictionary
    }
  }

  /// The first value for a key as ``object(for:to:_:)`` gives it, if it is an array.
  package func array(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [Any]? {
    object(for: key, to: reader, convert) {
      if case .array = $0 { true } else { false }
    } known: {
      $0.array
    } made: {
      $1.array
    }
  }

  /// What has been attached to the first value for a key, if that is data; it is made once and then kept.
  ///
  /// - Parameters:
  ///   - convert: Makes the object for the value if there is none yet; it must not call back.
  ///   - attach: Makes what is attached from the value's bytes and its object; it must not call back.
  /// - Returns: nil if the value is not data.
  package func attachment(
    toDataFor key: String, for reader: LookupReader, _ convert: (PropertyList) -> Any,
    attaching attach: ([UInt8], Any) -> any AnyObject & Sendable
  ) -> (any AnyObject & Sendable)? {
    object(for: key, to: reader, convert) {
      if case .data = $0 { true } else { false }
    } known: {
      $0.knownAttachment
    } made: { value, object in
      guard case .data(let bytes) = value else { return nil }
      return object.attachment { attach(bytes, object.object) }
    }
  }

  /// What a getter gives for the first value for a key.
  ///
  /// - Parameters:
  ///   - isWanted: Whether the getter gives anything for a value.
  ///   - known: What it gives for an object that is kept, during the search; nil if that has to be made.
  ///   - made: What it gives for a value and its object, outside of the search.
  @inline(__always)
  private func object<Object>(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any,
    if isWanted: (PropertyList) -> Bool, known: (LookupObject) -> Object?,
    made: (PropertyList, LookupObject) -> Object?
  ) -> Object? {
    var unconverted: PropertyList?
    let found = read(key) { entry -> Object? in
      guard let entry, isWanted(entry.pointee.value) else { return nil }
      if let object = entry.pointee.withKnownObject(for: reader, known) ?? nil { return object }
      unconverted = entry.pointee.value
      return nil
    } orWith: { value in
      if let value, isWanted(value) { unconverted = value }
      return nil
    }
    guard let unconverted else { return found }
    return made(unconverted, convertedObject(for: unconverted, of: key, to: reader, convert))
  }

  /// Converts a value to an object, and keeps that with the first value for a key, if it is this value and has none.
  ///
  /// A container or data is converted outside of the search: that may take long, and whatever other threads replace during a
  /// search stays in memory.
  ///
  /// - Returns: the object that is kept, or else the new one.
  @inline(never)
  private func convertedObject(
    for value: PropertyList, of key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> LookupObject {
    let made = LookupObject(value, convert(value))
    return withTables(for: key) { tables, lookupKey in
      // The key may have another value by now.
      guard case .found(let entry) = tables.search(for: lookupKey),
        entry.pointee.value.isIdentical(to: value)
      else { return made }
      return entry.pointee.keep(made, for: reader)
    }
  }

  /// All keys with the values that a lookup finds.
  package var union: [PropertyListKey: PropertyList] {
    var result: [PropertyListKey: PropertyList] = [:]
    for domain in domains { result.merge(domain.values) { first, _ in first } }
    return result
  }

  /// All keys with the objects for the values that a lookup finds.
  ///
  /// A Swift dictionary has one entry for canonically equivalent keys; it shows the value of the greatest of
  /// them. O(n) in the number of keys of all domains.
  ///
  /// - Parameter convert: Makes the object for a value; it must not call back.
  package func objects(to reader: LookupReader, _ convert: (PropertyList) -> Any) -> [String: Any] {
    let domains = domains
    var objects = [String: Any](minimumCapacity: domains.map(\.count).max() ?? 0)
    // Only keys beyond ASCII can be equivalent to others. They are few, as a rule, and are compared by their
    // bytes first.
    var others: [PropertyListKey: Any] = [:]
    // Back to front, so that the value that a lookup finds is set last, with one access to the result for
    // each key.
    for domain in domains.reversed() {
      for (key, object) in domain.objects(for: reader, convert) {
        if key.utf8.allSatisfy({ $0 < 0x80 }) {
          objects[key] = object
        } else {
          others[PropertyListKey(key)] = object
        }
      }
    }
    for (key, object) in others.sorted(by: { $0.key < $1.key }) { objects[key.hashableText] = object }
    return objects
  }
}

extension SearchPath.Domain {
  /// How many keys there are, or 0 if that is not known.
  fileprivate var count: Int {
    switch self {
    case .persistent(let domain): domain.count
    case .volatile: 0
    }
  }

  /// All keys with the objects for their values.
  fileprivate func objects(
    for reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [(key: String, object: Any)] {
    switch self {
    case .persistent(let domain): domain.objects(for: reader, convert)
    case .volatile(let domain): domain.values.map { (key: $0.text, object: convert($1)) }
    }
  }
}
