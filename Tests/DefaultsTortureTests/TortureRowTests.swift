import Testing

@testable import DefaultsTorture

struct TortureRowTests {
  @Test(
    "a measured value is rounded and has all its digits",
    arguments: [
      (0, 1, "0.0 ms"), (4.66, 1, "4.7 ms"), (48.04, 1, "48.0 ms"), (2.005, 2, "2.01 ms"),
      (2.0049, 2, "2.00 ms"), (0.996, 2, "1.00 ms"), (12.05, 2, "12.05 ms"),
    ])
  func decimals(value: Double, decimals: Int, text: String) {
    #expect(TortureRow("", value, decimals: decimals, unit: "ms").value == text)
  }
}
