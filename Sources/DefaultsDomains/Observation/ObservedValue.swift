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
}
