extension PropertyList {
  /// The number of values and keys, including the value itself; counted without recursion.
  var objectCount: Int {
    guard isContainer else { return 1 }
    var count = 0
    var open = [self]
    while let value = open.popLast() {
      count += 1
      switch value {
      case .array(let elements): open += elements
      case .dictionary(let entries):
        count += entries.count
        open += entries.values
      case .string, .data, .integer, .real, .float, .boolean, .date: break
      }
    }
    return count
  }
}
