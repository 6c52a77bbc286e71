/// A row of the table that `torture` prints.
package struct TortureRow {
  package let label: String
  package let value: String

  package init(_ label: String, _ value: String) {
    (self.label, self.value) = (label, value)
  }

  package init(_ label: String, _ value: Int) {
    self.init(label, String(value))
  }

  /// Makes a row of a measured value, which must not be negative.
  ///
  /// - Parameter decimals: The number of digits after the point; at least one.
  init(_ label: String, _ value: Double, decimals: Int, unit: String) {
    let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((value * Double(scale)).rounded())
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: decimals - fraction.count)
    self.init(label, "\(scaled / scale).\(zeros)\(fraction) \(unit)")
  }
}
