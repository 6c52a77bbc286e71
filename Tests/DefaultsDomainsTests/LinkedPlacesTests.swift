import TestSupport
import Testing

@testable import DefaultsDomains

/// An order of places, beside an array to which the same is done.
struct LinkedPlacesTests {
  @Test("places are added behind any other, removed, and found in their order")
  func model() {
    var generator = SeededGenerator(seed: 1)
    var (places, model) = (LinkedPlaces(), [Int]())
    for step in 0..<2000 {
      // It grows, shrinks and grows again.
      if model.isEmpty || Int.random(in: 0..<5, using: &generator) < (step / 500 == 1 ? 1 : 4) {
        let index = Int.random(in: 0...model.count, using: &generator)
        let place = places.add(behind: index == 0 ? LinkedPlaces.end : model[index - 1])
        #expect(place != LinkedPlaces.end && !model.contains(place))
        model.insert(place, at: index)
      } else {
        let index = Int.random(in: model.indices, using: &generator)
        places.remove(model.remove(at: index))
      }
      #expect(places.all == model)
      #expect(places.count == model.count)
      #expect(places.last == model.last ?? LinkedPlaces.end)
    }
  }

  @Test("a removed place's number is used again, so that many changes of few places take no memory")
  func numbers() {
    var places = LinkedPlaces()
    for _ in 0..<1000 {
      let (first, second) = (places.add(behind: LinkedPlaces.end), places.add(behind: places.last))
      #expect(Set([first, second]) == [1, 2])
      places.remove(first)
      places.remove(second)
    }
    #expect(places.all == [])
  }
}
