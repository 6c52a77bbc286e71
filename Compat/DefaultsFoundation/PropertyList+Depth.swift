package import OpenStepPropertyList

extension PropertyList {
  /// How many containers are nested at the deepest place; computed without recursion.
  package var depth: Int {
    var deepest = 0
    var open: [(value: PropertyList, depth: Int)] = [(self, 0)]
    while let (value, depth) = open.popLast() {
      switch value {
      case .array(let elements):
        deepest = max(deepest, depth + 1)
        for element in elements { open.append((element, depth + 1)) }
      case .dictionary(let entries):
        deepest = max(deepest, depth + 1)
        for element in entries.values { open.append((element, depth + 1)) }
      default:
        break
      }
    }
    return deepest
  }
}
