import BenchmarkKit
import Testing

struct MedianTests {
  @Test(
    "the median is the value in the middle, or the mean of the two there",
    arguments: [([3], 3), ([9, 1, 2], 2), ([4, 1, 100, 2], 3)] as [([Double], Double)])
  func median(values: [Double], expected: Double) {
    #expect(values.median == expected)
  }

  @Test("no values have no median")
  func none() {
    #expect(([] as [Double]).median == nil)
  }
}
