/// Combining marks of falling canonical order, which Swift puts in order, where it compares or hashes a string, in a time
/// that grows with the square of their number.
public func repeatedMarks(_ count: Int) -> String {
  var marks = "".unicodeScalars
  for index in 0..<count { marks.append(index % 2 == 0 ? "\u{301}" : "\u{316}") }
  return String(marks)
}
