extension Range<Int> {
  /// The first number that fulfils a condition that all later ones fulfil; the end if none does.
  ///
  /// This is a binary search.
  package func partitioningIndex(where condition: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if condition(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
