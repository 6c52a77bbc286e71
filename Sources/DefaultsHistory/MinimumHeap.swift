/// Numbers of which the least is found first (a binary heap).
struct MinimumHeap: Sendable {
  /// Each is at most as large as those at twice its place plus one and plus two.
  private var numbers: [Int] = []

  /// The least number.
  var minimum: Int? { numbers.first }

  /// Adds a number.
  ///
  /// - Complexity: O(log n)
  mutating func insert(_ number: Int) {
    var place = numbers.count
    numbers.append(number)
    while place > 0, numbers[(place - 1) / 2] > number {
      numbers.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes the least number.
  ///
  /// - Complexity: O(log n)
  mutating func removeMinimum() {
    guard let last = numbers.popLast(), !numbers.isEmpty else { return }
    numbers[0] = last
    var place = 0
    while true {
      var least = place
      for child in 2 * place + 1...2 * place + 2
      where child < numbers.count && numbers[child] < numbers[least] {
        least = child
      }
      if least == place { return }
      numbers.swapAt(place, least)
      place = least
    }
  }
}
