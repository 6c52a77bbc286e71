package import OpenStepPropertyList

/// Converts property lists to objects and back, without recursion: what a file or a program contains may nest
/// deeper than the stack of a small thread allows.
package enum ObjectConversion {
  /// How many containers a value may nest when it is set: as many as every reader of the format accepts.
  package static let maximumDepth = 500

  // MARK: - From the store

  /// Converts a value to `[Any]` or `[String: Any]`, or by a closure if it is no container.
  ///
  /// To Swift, canonically equivalent keys are equal; of such entries the one with the greater key is shown.
  package static func object(of value: PropertyList, scalar: (PropertyList) -> Any) -> Any {
    var losesKeys = false
    return object(of: value, losesKeys: &losesKeys, scalar: scalar)
  }

  /// Converts a value, and tells what the object does not show.
  ///
  /// - Parameter losesKeys: Is set if a key is not among those of the object, or has other bytes there.
  package static func object(
    of value: PropertyList, losesKeys: inout Bool, scalar: (PropertyList) -> Any
  ) -> Any {
    guard value.isContainer else { return scalar(value) }
    var open = [OpenObject(value)]
    while true {
      let last = open.count - 1
      if let part = open[last].next() {
        if part.isContainer {
          open.append(OpenObject(part))
        } else {
          open[last].add(scalar(part))
        }
      } else {
        let container = open.removeLast()
        if container.losesKeys { losesKeys = true }
        guard last > 0 else { return container.object }
        open[last - 1].add(container.object)
      }
    }
  }

  /// Converts a dictionary like ``object(of:scalar:)``.
  package static func dictionary(
    of entries: [PropertyListKey: PropertyList], scalar: (PropertyList) -> Any
  ) -> [String: Any] {
    var result = OpenObject(.dictionary(entries))
    while let part = result.next() { result.add(object(of: part, scalar: scalar)) }
    return result.dictionary
  }

  /// A container whose elements are being converted to objects.
  private struct OpenObject {
    private let isDictionary: Bool
    private var elements: [PropertyList].Iterator
    private var array: [Any] = []
    private var entries: [PropertyListKey: PropertyList].Iterator
    private var key = PropertyListKey("")
    private(set) var dictionary: [String: Any] = [:]
    private(set) var losesKeys = false
    /// The keys that have other bytes in the object.
    private var ownKeys: [String: PropertyListKey] = [:]

    init(_ container: PropertyList) {
      switch container {
      case .array(let elements):
        isDictionary = false
        self.elements = elements.makeIterator()
        entries = [:].makeIterator()
        array.reserveCapacity(elements.count)
      case .dictionary(let entries):
        isDictionary = true
        elements = [].makeIterator()
        self.entries = entries.makeIterator()
        dictionary.reserveCapacity(entries.count)
      default:
        preconditionFailure("no container")
      }
    }

    var object: Any { isDictionary ? dictionary : array }

    mutating func next() -> PropertyList? {
      guard isDictionary else { return elements.next() }
      guard let entry = entries.next() else { return nil }
      key = entry.key
      return entry.value
    }

    mutating func add(_ object: Any) {
      guard isDictionary else { return array.append(object) }
      let reordered = key.reorderedText
      let text = reordered ?? key.text
      if let index = dictionary.index(forKey: text) {
        losesKeys = true
        guard ownKeys[text] ?? PropertyListKey(dictionary[index].key) < key else { return }
        dictionary.remove(at: index)
        ownKeys[text] = nil
      }
      dictionary[text] = object
      if reordered != nil {
        losesKeys = true
        ownKeys[text] = key
      }
    }
  }

  // MARK: - To the store

  /// The outermost level of an object.
  package enum Parts {
    /// A value as a whole, of any kind.
    case scalar(PropertyList)
    case array([Any])
    case dictionary([(key: String, value: Any)])
    /// An empty optional, which is left out.
    case nothing
  }

  /// Converts an object to a property list; nil for an empty optional.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - objectBound: The maximum number of values and keys; by default as many as a file can hold. A few arrays
  ///     contain more if each contains the one before several times.
  ///   - parts: Gives the outermost level of an object; its arguments are the object, the number of containers
  ///     around it, and a closure that gives the path to it for an error, such as `["windows"][2]`.
  ///   - refusal: Makes the error for an object of more values and keys.
  package static func propertyList<Failure: Error>(
    of object: Any, objectBound: Int = PropertyList.maximumObjectCount,
    parts: (Any, _ depth: Int, _ path: () -> String) throws(Failure) -> Parts,
    refusal: (_ reason: String) -> Failure
  ) throws(Failure) -> PropertyList? {
    var open: [OpenValue] = []
    var object = object
    var count = 0
    while true {
      count += 1
      var finished: PropertyList?
      switch try parts(object, open.count, { open.map(\.step).joined() }) {
      case .scalar(let value):
        if value.isContainer { count += value.extent.objectCount - 1 }
        finished = value
      case .array(let elements): open.append(OpenValue(keys: nil, parts: elements))
      case .dictionary(let entries):
        count += entries.count
        open.append(OpenValue(keys: entries.map(\.key), parts: entries.map(\.value)))
      case .nothing: guard !open.isEmpty else { return nil }
      }
      if count > objectBound {
        throw refusal("contains more than \(objectBound) values and keys, too many to be read back")
      }
      // Closes the containers that are complete, and goes on with the next object.
      while true {
        guard let last = open.indices.last else { return finished }
        if let value = finished { open[last].add(value) }
        finished = nil
        if let next = open[last].next() {
          object = next
          break
        }
        finished = open.removeLast().value
      }
    }
  }

  /// A container whose elements are being converted to property lists.
  private struct OpenValue {
    private let keys: [String]?
    private let parts: [Any]
    private var index = -1
    private var elements: [PropertyList] = []
    private var entries: [PropertyListKey: PropertyList] = [:]

    init(keys: [String]?, parts: [Any]) {
      self.keys = keys
      self.parts = parts
      if keys == nil { elements.reserveCapacity(parts.count) } else { entries.reserveCapacity(parts.count) }
    }

    var value: PropertyList { keys == nil ? .array(elements) : .dictionary(entries) }

    /// The path component of the element that was given last.
    var step: String { keys.map { "[\"\($0[index])\"]" } ?? "[\(index)]" }

    mutating func next() -> Any? {
      guard index + 1 < parts.count else { return nil }
      index += 1
      return parts[index]
    }

    mutating func add(_ value: PropertyList) {
      if let keys { entries[PropertyListKey(keys[index])] = value } else { elements.append(value) }
    }
  }
}
