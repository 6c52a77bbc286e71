import DefaultsDatabase
package import OpenStepPropertyList

/// A value that an observer is told, which any thread can release.
///
/// The thread that tells of a change is often not the one that made it, and a thread may have too little stack
/// to release what another has set.
enum ObservedValue: Sendable {
  case scalar(PropertyList)
  case container(Container)

  final class Container: @unchecked Sendable {
    // Unchecked, because only the deinitializer changes the value.
    fileprivate(set) var value: PropertyList?

    fileprivate init(_ value: PropertyList) { self.value = value }

    deinit {
      LargeStack.runWithStackToRelease { value = nil }
    }
  }

  init(_ value: PropertyList) {
    switch value {
    case .array, .dictionary: self = .container(Container(value))
    default: self = .scalar(value)
    }
  }

  var value: PropertyList? {
    switch self {
    case .scalar(let value): value
    case .container(let container): container.value
    }
  }

  /// About how many bytes of memory it takes, counted up to ``KeyObservers/waitingByteLimit``.
  var byteCount: Int { value?.memoryByteCount ?? 0 }
}

extension PropertyList {
  /// About how many bytes of memory it takes with all that it has inside, counted up to
  /// ``KeyObservers/waitingByteLimit``.
  package var memoryByteCount: Int {
    let limit = KeyObservers.waitingByteLimit
    var count = ownByteCount
    var open = [self]
    while count < limit, let value = open.popLast() {
      switch value {
      case .array(let elements):
        count += elements.count * MemoryLayout<PropertyList>.stride
        // Not even a look at so many.
        guard count < limit else { break }
        for element in elements {
          count += element.ownByteCount
          if element.isContainer { open.append(element) }
        }
      case .dictionary(let entries):
        count += 2 * entries.count * MemoryLayout<(PropertyListKey, PropertyList)>.stride
        guard count < limit else { break }
        for (key, element) in entries {
          count += key.text.utf8.count + element.ownByteCount
          if element.isContainer { open.append(element) }
        }
      case .string, .data, .integer, .real, .float, .boolean, .date: break
      }
    }
    return count
  }

  /// The bytes beside the value itself, without what is inside a container.
  private var ownByteCount: Int {
    switch self {
    // A text of up to 15 bytes lies in the value.
    case .string(let text): text.utf8.count > 15 ? 32 + text.utf8.count : 0
    case .data(let bytes): 32 + bytes.count
    case .array, .dictionary: 32
    case .integer, .real, .float, .boolean, .date: 0
    }
  }
}
