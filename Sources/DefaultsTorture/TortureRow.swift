/// A line of the table.
package struct TortureRow {
  package let label: String
  package let value: String

  package init(_ label: String, _ value: String) {
    (self.label, self.value) = (label, value)
  }

  package init(_ label: String, _ value: Int) {
    self.init(label, String(value))
  }

  /// A measured value, which is not negative.
  ///
  /// - Parameter decimals: How many digits stand behind the point, one at least.
  init(_ label: String, _ value: Double, decimals: Int, unit: String) {
    let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((value * Double(scale)).rounded())
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: decimals - fraction.count)
    self.init(label, "\(scaled / scale).\(zeros)\(fraction) \(unit)")
  }
}
