package import OpenStepPropertyList

extension PropertyList {
  /// How many containers are nested at the deepest place, and how many values and keys there are; found without
  /// recursion.
  ///
  /// The search ends when there are more than a file can hold, with what was found until then: a few containers are any
  /// number of values if each contains the one before several times.
  package var extent: (depth: Int, objectCount: Int) {
    var (deepest, count) = (0, 1)
    var open = isContainer ? [(value: self, depth: 1)] : []
    while let (value, depth) = open.popLast(), count <= PropertyList.maximumObjectCount {
      deepest = max(deepest, depth)
      switch value {
      case .array(let elements):
        count += elements.count
        for element in elements where element.isContainer { open.append((element, depth + 1)) }
      case .dictionary(let entries):
        count += 2 * entries.count
        for element in entries.values where element.isContainer { open.append((element, depth + 1)) }
      default:
        break
      }
    }
    return (deepest, count)
  }
}
