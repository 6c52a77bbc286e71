extension PropertyList {
  /// The value at a path.
  ///
  /// - Throws: `PropertyListPathError` if there is none.
  /// - Complexity: linear in the number of steps.
  package func value(at path: PropertyListPath) throws(PropertyListPathError) -> PropertyList {
    var value = self
    for (depth, step) in path.steps.enumerated() {
      switch try value.item(at: step, depth, of: path) {
      case .found(let inner): value = inner
      case .missing: throw PropertyList.absence(depth, of: path, in: value)
      }
    }
    return value
  }

  /// Changes the value at a path in place; missing containers on the way are made.
  ///
  /// A missing key makes a dictionary, and `[+]`, `[+0]` or `[0]` where nothing is makes an array of one element.
  ///
  /// - Parameters:
  ///   - path: The path to the value.
  ///   - change: Gives the new value for the old one; the old one is nil for a new entry or element.
  /// - Throws: what the closure throws; `PropertyListPathError` if the path leads into a container of another
  ///   kind, or behind an array's end. Nothing is changed then.
  /// - Complexity: linear in the number of steps; also in the sizes of the containers on the way that are shared with
  ///   another property list.
  package mutating func change(
    at path: PropertyListPath, _ change: (PropertyList?) throws -> PropertyList
  ) throws {
    let new = try change(place(of: path))
    put(new, at: path.steps[...])
  }

  /// The property list after ``change(at:_:)``.
  package func changed(
    at path: PropertyListPath, _ change: (PropertyList?) throws -> PropertyList
  ) throws -> PropertyList {
    var result = self
    try result.change(at: path, change)
    return result
  }

  /// Removes the value at a path in place; later elements of an array move up.
  ///
  /// - Throws: `PropertyListPathError` if there is no such value, and for a path without a step. Nothing is changed
  ///   then.
  /// - Complexity: as of ``change(at:_:)``.
  package mutating func remove(at path: PropertyListPath) throws(PropertyListPathError) {
    guard !path.steps.isEmpty else {
      throw PropertyListPathError(.mismatch, "the whole property list cannot be removed from itself")
    }
    _ = try value(at: path)
    put(nil, at: path.steps[...])
  }

  /// The property list after ``remove(at:)``.
  package func removed(at path: PropertyListPath) throws(PropertyListPathError) -> PropertyList {
    var result = self
    try result.remove(at: path)
    return result
  }

  // MARK: Steps

  /// The value at a path at which a new one can be put; nil for a new entry or element.
  private func place(of path: PropertyListPath) throws(PropertyListPathError) -> PropertyList? {
    var value: PropertyList? = self
    for (depth, step) in path.steps.enumerated() {
      let container: PropertyList
      if let value {
        container = value
      } else {
        container = PropertyList.container(for: step)
        if case .index(let index) = step, index != 0 { throw PropertyList.noArray(depth, of: path) }
        if case .insertion(let index?) = step, index != 0 { throw PropertyList.noArray(depth, of: path) }
      }
      switch try container.item(at: step, depth, of: path) {
      case .found(let inner): value = inner
      case .missing:
        if case .index(let index) = step, case .array(let elements) = container,
          !(elements.isEmpty && index == 0 && value == nil)
        {
          throw PropertyList.absence(depth, of: path, in: container)
        }
        value = nil
      }
    }
    return value
  }

  /// Puts a value to a place that ``place(of:)`` has found, or removes the value there.
  fileprivate mutating func put(_ value: PropertyList?, at steps: ArraySlice<PropertyListPath.Step>) {
    guard let step = steps.first else {
      if let value { self = value }
      return
    }
    let rest = steps.dropFirst()
    if var entries = takeEntries() {
      if case .key(let key) = step {
        if rest.isEmpty {
          entries[key] = value
        } else {
          entries[key, default: PropertyList.container(for: rest[rest.startIndex])].put(value, at: rest)
        }
      }
      self = .dictionary(entries)
    } else if var elements = takeElements() {
      elements.put(value, at: step, rest)
      self = .array(elements)
    }
  }

  /// A dictionary's entries, which this value lets go, so that a change of them copies nothing; nil for another value.
  private mutating func takeEntries() -> [PropertyListKey: PropertyList]? {
    guard case .dictionary(let entries) = self else { return nil }
    self = []
    return entries
  }

  /// The same of an array's elements.
  private mutating func takeElements() -> [PropertyList]? {
    guard case .array(let elements) = self else { return nil }
    self = []
    return elements
  }

  private enum Item {
    case found(PropertyList)
    case missing
  }

  /// The value behind one step.
  private func item(
    at step: PropertyListPath.Step, _ depth: Int, of path: PropertyListPath
  ) throws(PropertyListPathError) -> Item {
    switch (self, step) {
    case (.dictionary(let entries), .key(let key)):
      return entries[key].map { .found($0) } ?? .missing
    case (.array(let elements), .index(let index)):
      let place = index < 0 ? elements.count + index : index
      return elements.indices.contains(place) ? .found(elements[place]) : .missing
    case (.array(let elements), .insertion(let index)):
      guard index ?? 0 <= elements.count else { throw PropertyList.absence(depth, of: path, in: self) }
      return .missing
    default:
      throw PropertyListPathError(
        .mismatch,
        "\(PropertyListPath.text(of: path.steps[...depth])): \(PropertyListPath(Array(path.steps[..<depth]))) is "
          + kindWithItems)
    }
  }

  /// The empty container that a step makes where nothing is.
  fileprivate static func container(for step: PropertyListPath.Step) -> PropertyList {
    if case .key = step { [:] } else { [] }
  }

  private static func noArray(_ depth: Int, of path: PropertyListPath) -> PropertyListPathError {
    PropertyListPathError(
      .noPlace,
      "\(PropertyListPath.text(of: path.steps[...depth])): there is no array yet",
      remedy: "“[+]” makes one of one element")
  }

  private static func absence(
    _ depth: Int, of path: PropertyListPath, in container: PropertyList
  ) -> PropertyListPathError {
    let place = PropertyListPath.text(of: path.steps[...depth])
    guard case .array(let elements) = container else {
      return PropertyListPathError(.absent, "\(place): there is no such key")
    }
    let last = elements.count - 1
    let what =
      switch elements.count {
      case 0: "the array is empty"
      case 1: "the array has 1 element: 0, -1"
      default: "the array has \(elements.count) elements: 0…\(last), \(-elements.count)…-1"
      }
    if case .insertion? = path.steps[depth...].first {
      return PropertyListPathError(.noPlace, "\(place): \(what)", remedy: "“[+]” adds one behind them")
    }
    return PropertyListPathError(.absent, "\(place): \(what)", remedy: "“[+]” adds one")
  }

  /// What the value is, with what it has inside.
  private var kindWithItems: String {
    switch self {
    case .dictionary: "a dictionary, which has keys, not elements"
    case .array: "an array, which has elements, not keys"
    case .string: "a string, which has neither keys nor elements"
    case .data: "data, which has neither keys nor elements"
    case .integer, .real, .float: "a number, which has neither keys nor elements"
    case .boolean: "a truth value, which has neither keys nor elements"
    case .date: "a date, which has neither keys nor elements"
    }
  }
}

extension [PropertyList] {
  /// Puts a value to where steps lead that begin at this array, or removes the value there.
  fileprivate mutating func put(
    _ value: PropertyList?, at step: PropertyListPath.Step, _ rest: ArraySlice<PropertyListPath.Step>
  ) {
    var place = count
    var isNew = true
    switch step {
    case .index(let index):
      place = index < 0 ? count + index : index
      isNew = place == count
    case .insertion(let index): place = index ?? count
    case .key: return
    }
    if isNew, let next = rest.first {
      insert(PropertyList.container(for: next), at: place)
    } else if isNew {
      insert(value ?? [], at: place)
      return
    }
    if rest.isEmpty, value == nil {
      remove(at: place)
    } else {
      self[place].put(value, at: rest)
    }
  }
}
