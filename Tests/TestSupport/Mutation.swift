extension [UInt8] {
  /// Changes, inserts or removes bytes in one to three places, unless all are gone before.
  ///
  /// - Parameter inserted: The bytes that may come in.
  public mutating func mutate(inserting inserted: [UInt8], using generator: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      if isEmpty { return }
      let place = Int.random(in: 0..<count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: self[place] = inserted.randomElement(using: &generator) ?? 0
      case 1: insert(inserted.randomElement(using: &generator) ?? 0, at: place)
      case 2: remove(at: place)
      default: removeSubrange(place..<Swift.min(count, place + 20))
      }
    }
  }
}
