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

  /// The property list after a change of the value at a path; missing containers on the way are made.
  ///
  /// A missing key makes a dictionary, and `[+]`, `[+0]` or `[0]` where nothing is makes an array of one element.
  ///
  /// - Parameters:
  ///   - path: The path to the value.
  ///   - change: Gives the new value for the old one; the old one is nil for a new entry or element.
  /// - Throws: what the closure throws; `PropertyListPathError` if the path leads into a container of another
  ///   kind, or behind an array's end.
  /// - Complexity: linear in the number of steps and in the sizes of the containers on the way.
  package func changed(
    at path: PropertyListPath, _ change: (PropertyList?) throws -> PropertyList
  ) throws -> PropertyList {
    var containers: [PropertyList] = []
    var value: PropertyList? = self
    for (depth, step) in path.steps.enumerated() {
      let container = try value ?? PropertyList.container(for: step, depth, of: path)
      containers.append(container)
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
    var result = try change(value)
    for (container, step) in zip(containers, path.steps).reversed() {
      result = container.replacing(step, with: result)
    }
    return result
  }

  /// The property list without the value at a path; later elements of an array move up.
  ///
  /// - Throws: `PropertyListPathError` if there is no such value, and for a path without a step.
  package func removed(at path: PropertyListPath) throws(PropertyListPathError) -> PropertyList {
    guard let last = path.steps.last else {
      throw PropertyListPathError(.mismatch, "the whole property list cannot be removed from itself")
    }
    var containers: [PropertyList] = []
    var value = self
    for (depth, step) in path.steps.enumerated() {
      containers.append(value)
      switch try value.item(at: step, depth, of: path) {
      case .found(let inner): value = inner
      case .missing: throw PropertyList.absence(depth, of: path, in: value)
      }
    }
    var result: PropertyList
    switch (containers.removeLast(), last) {
    case (.dictionary(var entries), .key(let key)):
      entries[key] = nil
      result = .dictionary(entries)
    case (.array(var elements), .index(let index)):
      elements.remove(at: index < 0 ? elements.count + index : index)
      result = .array(elements)
    case (let other, _):
      result = other
    }
    for (container, step) in zip(containers, path.steps).reversed() {
      result = container.replacing(step, with: result)
    }
    return result
  }

  // MARK: Steps

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

  /// The container with another value behind a step, which fits it.
  private func replacing(_ step: PropertyListPath.Step, with value: PropertyList) -> PropertyList {
    switch (self, step) {
    case (.dictionary(var entries), .key(let key)):
      entries[key] = value
      return .dictionary(entries)
    case (.array(var elements), .index(let index)):
      let place = index < 0 ? elements.count + index : index
      if place == elements.count { elements.append(value) } else { elements[place] = value }
      return .array(elements)
    case (.array(var elements), .insertion(let index)):
      elements.insert(value, at: index ?? elements.count)
      return .array(elements)
    default:
      return self
    }
  }

  /// The empty container that a step makes where nothing is.
  private static func container(
    for step: PropertyListPath.Step, _ depth: Int, of path: PropertyListPath
  ) throws(PropertyListPathError) -> PropertyList {
    switch step {
    case .key: return [:]
    case .index(0), .insertion(nil), .insertion(0): return []
    case .index, .insertion:
      throw PropertyListPathError(
        .noPlace,
        "\(PropertyListPath.text(of: path.steps[...depth])): there is no array yet; “[+]” makes one of one element"
      )
    }
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
      return PropertyListPathError(.noPlace, "\(place): \(what); “[+]” adds one behind them")
    }
    return PropertyListPathError(.absent, "\(place): \(what); “[+]” adds one")
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
