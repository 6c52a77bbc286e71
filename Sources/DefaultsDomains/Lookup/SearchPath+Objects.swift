package import OpenStepPropertyList

extension SearchPath {
  /// The first value for a key as an object; a container is converted once and then kept.
  ///
  /// - Parameter convert: Makes the object; it must not call back.
  package func object(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> Any? {
    // A string is an object already.
    let known: Known<Any> = known(for: key, to: reader) { value in
      if case .string(let text) = value { .object(text) } else { .kept }
    } of: {
      $0.object
    }
    if case .found(let object) = known { return object }
    return convertedObject(for: key, to: reader, convert) { _ in true }?.object.object
  }

  /// The first value for a key as ``object(for:to:_:)`` gives it, if it is a dictionary.
  package func dictionary(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [String: Any]? {
    let known: Known<[String: Any]> = known(for: key, to: reader) { value in
      if case .dictionary = value { .kept } else { .object(nil) }
    } of: {
      $0.dictionary
    }
    if case .found(let dictionary) = known { return dictionary }
    return convertedObject(for: key, to: reader, convert) {
      if case .dictionary = $0 { true } else { false }
    }?.object.dictionary
  }

  /// The first value for a key as ``object(for:to:_:)`` gives it, if it is an array.
  package func array(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any
  ) -> [Any]? {
    let known: Known<[Any]> = known(for: key, to: reader) { value in
      if case .array = value { .kept } else { .object(nil) }
    } of: {
      $0.array
    }
    if case .found(let array) = known { return array }
    return convertedObject(for: key, to: reader, convert) {
      if case .array = $0 { true } else { false }
    }?.object.array
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
    let known: Known<any AnyObject & Sendable> = known(for: key, to: reader) { value in
      if case .data = value { .kept } else { .object(nil) }
    } of: {
      $0.knownAttachment
    }
    if case .found(let attachment) = known { return attachment }
    let converted = convertedObject(for: key, to: reader, convert) {
      if case .data = $0 { true } else { false }
    }
    guard let (value, object) = converted, case .data(let bytes) = value else { return nil }
    return object.attachment { attach(bytes, object.object) }
  }

  /// What a value is for one of the getters.
  private enum Use<Object> {
    /// An object already, or none of the kind that is asked for.
    case object(Object?)
    /// A value whose object is kept once it is made.
    case kept
  }

  /// What a search finds without making an object.
  private enum Known<Object> {
    case found(Object?)
    /// The object has to be made.
    case unmade
  }

  /// Searches for the first value for a key, and gives its object if that need not be made.
  @inline(__always)
  private func known<Object>(
    for key: String, to reader: LookupReader, use: (PropertyList) -> Use<Object>,
    of object: (LookupObject) -> Object?
  ) -> Known<Object> {
    read(key) { entry in
      guard let entry else { return .found(nil) }
      switch use(entry.pointee.value) {
      case .object(let object): return .found(object)
      case .kept:
        let kept = entry.pointee.withKnownObject(for: reader, object) ?? nil
        return kept.map { .found($0) } ?? .unmade
      }
    } orWith: { _ in
      .unmade
    }
  }

  /// Converts the first value for a key to an object, and keeps that unless one is kept already.
  ///
  /// A container or data is converted outside of the search: that may take long, and whatever other threads replace during a
  /// search stays in memory.
  ///
  /// - Parameter isWanted: Whether a value is to be converted.
  @inline(never)
  private func convertedObject(
    for key: String, to reader: LookupReader, _ convert: (PropertyList) -> Any,
    if isWanted: (PropertyList) -> Bool
  ) -> (value: PropertyList, object: LookupObject)? {
    guard let value = value(for: key), isWanted(value) else { return nil }
    let made = LookupObject(value, convert(value))
    return withTables(for: key) { tables, lookupKey in
      // The key may have another value by now.
      guard case .found(let entry) = tables.search(for: lookupKey),
        entry.pointee.value.isIdentical(to: value)
      else { return (value, made) }
      return (value, entry.pointee.keep(made, for: reader))
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
