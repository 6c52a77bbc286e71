import OpenStepPropertyList

/// The texts that NeXT's functions have returned, which stay valid until the process ends.
///
/// NEXTSTEP's documents do not say how long a returned pointer is valid, and programs keep it, also while they
/// write another value. Each different text is kept once: the memory grows only with values that the process
/// has never returned before.
struct NXReturnedTexts {
  // By bytes: two spellings of the same characters are two texts.
  private var pointers: [PropertyListKey: UnsafePointer<CChar>] = [:]

  /// The C string of a text without NUL; nil only where there is no memory.
  mutating func pointer(to text: String) -> UnsafePointer<CChar>? {
    let key = PropertyListKey(text)
    if let pointer = pointers[key] { return pointer }
    let pointer = Copies.constant(text)
    pointers[key] = pointer
    return pointer
  }
}
