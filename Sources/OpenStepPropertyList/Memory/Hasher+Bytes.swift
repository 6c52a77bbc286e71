extension Hasher {
  /// Takes the bytes of a text in UTF-8.
  @inlinable
  package mutating func combine(bytesOf text: String) {
    let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
      combine(bytes: UnsafeRawBufferPointer($0))
    }
    // Only strings that Objective-C made have no bytes to look at.
    if isDone == nil { Array(text.utf8).withUnsafeBytes { combine(bytes: $0) } }
  }
}
