import Foundation

/// What `printf` prints for `%s`: the text, or `(null)` where the original sends `UTF8String` to nil.
func cString(_ text: String?) -> String {
  text ?? "(null)"
}

/// C's `sscanf`, which Swift cannot call, for numbers of one type.
///
/// - Parameter numbers: As many numbers as the format names; those that the text has not keep their values.
/// - Returns: How many numbers were set; -1 for nil and for an empty text.
@discardableResult
func scan<Number>(_ text: String?, _ format: String, into numbers: inout [Number]) -> Int32 {
  guard let text else { return -1 }
  return numbers.withUnsafeMutableBufferPointer { numbers in
    let places = numbers.indices.compactMap { index in numbers.baseAddress.map { $0 + index } }
    return withVaList(places) { vsscanf(text, format, $0) }
  }
}
