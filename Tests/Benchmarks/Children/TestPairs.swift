/// Different keys of 4 to 24 letters and digits, each with a value of such a length, made one by one.
struct TestPairs {
  private var random = Generator(state: 11)
  private var number = 0

  mutating func next() -> (key: String, value: String) {
    number += 1
    // Capital letters in front and none behind keep the numbers apart.
    let digits = String(number, radix: 36)
    let key = letters(Int(random.next() % 21) + 4 - digits.utf8.count) + digits
    return (key, letters(Int(random.next() % 21) + 4))
  }

  private mutating func letters(_ count: Int) -> String {
    String(
      decoding: (0..<max(count, 0)).map { _ in UInt8(ascii: "A") + UInt8(random.next() % 26) }, as: UTF8.self)
  }
}
