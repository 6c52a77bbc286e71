import DefaultsDatabase
import OpenStepPropertyList

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

  /// About how many bytes of memory it takes, or ``largeByteCount`` if it has more than 10,000 values: it is counted under
  /// a lock for which changes of other keys wait.
  var byteCount: Int { value?.byteCount(ofAtMost: 10_000) ?? ObservedValue.largeByteCount }

  /// What is taken for the bytes of a container of many values.
  private static let largeByteCount = 1 << 22
}

extension PropertyList {
  /// About how many bytes of memory it takes with all that it has inside; nil if these are more values than a maximum.
  fileprivate func byteCount(ofAtMost maximum: Int) -> Int? {
    var count = 0
    var valueCount = 1
    var open = [self]
    while let value = open.popLast() {
      count += 64
      switch value {
      case .string(let text): count += text.utf8.count
      case .data(let bytes): count += bytes.count
      case .array(let elements):
        valueCount += elements.count
        guard valueCount <= maximum else { return nil }
        open += elements
      case .dictionary(let entries):
        valueCount += entries.count
        guard valueCount <= maximum else { return nil }
        for (key, value) in entries {
          count += 64 + key.text.utf8.count
          open.append(value)
        }
      case .integer, .real, .float, .boolean, .date: break
      }
    }
    return count
  }
}
