import Testing

@testable import DefaultsDomains

@Suite
struct UnretainedReferenceTests {
  @Test("an object that exists is retained, for as long as the result")
  func existing() {
    var object: Observed? = Observed()
    let reference = UnretainedReference(object!)
    var retained = reference.retained
    #expect(retained === object)
    weak let last = object
    object = nil
    #expect(last === retained && last != nil)
    retained = nil
    #expect(last == nil)
  }

  @Test("an object is not retained any more while its deinit runs, even one that was never weakly referenced")
  func ending() {
    var answers: [Bool] = []
    var object: Observed? = Observed()
    let reference = UnretainedReference(object!)
    object!.whenEnding = { answers.append(reference.retained == nil) }
    object = nil
    #expect(answers == [true])
  }
}

private final class Observed {
  var whenEnding: () -> Void = {}

  deinit { whenEnding() }
}
