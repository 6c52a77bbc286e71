package import OpenStepPropertyList

extension SearchPath {
  /// The first value for a key as an object; a container is converted once and then kept.
  ///
  /// - Parameter convert: Makes the object; it must not call back.
  package func object(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> Any? {
    object(for: key, to: reader, convert) { value in
      // A string is an object already.
      if case .string(let text) = value { .object(text) } else { .kept }
    } orOf: { object, _ in
      object.object
    }
  }

  /// The first value for a key as ``object(for:to:_:)`` gives it, if it is a dictionary.
  package func dictionary(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [String: Any]? {
    object(for: key, to: reader, convert) { value in
      if case .dictionary = value { .kept } else { .object(nil) }
    } orOf: { object, _ in
      object.dictionary
    }
  }

  /// The first value for a key as ``object(for:to:_:)`` gives it, if it is an array.
  package func array(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [Any]? {
    object(for: key, to: reader, convert) { value in
      if case .array = value { .kept } else { .object(nil) }
    } orOf: { object, _ in
      object.array
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
    let found = object(for: key, to: reader, convert) { value -> Conversion<Attached> in
      if case .data = value { .kept } else { .object(nil) }
    } orOf: { object, value -> Attached? in
      if let attachment = object.knownAttachment { return .already(attachment) }
      guard case .data(let bytes) = value else { return nil }
      return .notYet(object, bytes)
    }
    switch found {
    case nil: return nil
    case .already(let attachment): return attachment
    // Outside of the search, because it may take long.
    case .notYet(let object, let bytes): return object.attachment { attach(bytes, object.object) }
    }
  }

  private enum Attached {
    case already(any AnyObject & Sendable)
    case notYet(LookupObject, [UInt8])
  }

  /// How a value becomes an object.
  private enum Conversion<Object> {
    /// It is an object already, or has none of the kind that is asked for.
    case object(Object?)
    /// It is converted once, and its object is kept.
    case kept
  }

  /// The first value for a key as an object of some kind.
  ///
  /// A container or data is converted outside of the search: that may take long, and whatever other threads replace during a
  /// search stays in memory.
  @inline(__always)
  private func object<Object>(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any,
    _ conversion: (PropertyList) -> Conversion<Object>, orOf object: (LookupObject, PropertyList) -> Object?
  ) -> Object? {
    var unconverted: PropertyList?
    let known = read(key) { entry -> Object? in
      guard let entry else { return nil }
      switch conversion(entry.pointee.value) {
      case .object(let object): return object
      case .kept: break
      }
      if let known = entry.pointee.withKnownObject(for: reader, { object($0, entry.pointee.value) }) {
        return known
      }
      switch entry.pointee.value {
      case .string, .integer, .real, .float, .boolean, .date:
        return entry.pointee.withObject(for: reader, convert) { object($0, entry.pointee.value) }
      case .array, .dictionary, .data:
        unconverted = entry.pointee.value
        return nil
      }
    } orWith: { value in
      guard let value else { return nil }
      if case .object(let object) = conversion(value) { return object }
      unconverted = value
      return nil
    }
    guard let unconverted else { return known }
    let made = LookupObject(unconverted, convert(unconverted))
    return object(keep(made, of: unconverted, for: key, to: reader), unconverted)
  }

  /// Keeps an object that was made for a value, unless the key has another value by now or its object is kept already; gives
  /// the one that is kept, or this one.
  private func keep(
    _ made: LookupObject, of value: PropertyList, for key: String, to reader: LookupReader
  ) -> LookupObject {
    withTables(for: key) { tables, lookupKey in
      guard case .found(let entry) = tables.search(for: lookupKey),
        entry.pointee.value.sharesStorage(with: value)
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
