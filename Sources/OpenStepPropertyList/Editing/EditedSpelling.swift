/// How new text is spelled in an edited text, so that it looks like what is there.
struct EditedSpelling {
  /// Which readers the text is for, and so which escapes it may have.
  let style: PropertyList.Style
  /// The line end of the surrounding lines.
  var lineEnd: [UInt8] = [0x0A]
  /// The blanks with which the lines of the container begin that is being edited.
  var indentation: [UInt8] = []
  /// The blanks that a line has more than the line around its container.
  var unit: [UInt8] = Array("    ".utf8)
  /// Whether a container is laid out on one line.
  var isOnOneLine = false
  /// Whether strings and keys are quoted even where that is not needed.
  var isQuoted = false

  init(style: PropertyList.Style) {
    self.style = style
  }

  /// The same spelling with every string in quotes, or only those that need it.
  func quoting(_ isQuoted: Bool) -> EditedSpelling {
    var spelling = self
    spelling.isQuoted = isQuoted
    return spelling
  }

  func onOneLine(_ isOnOneLine: Bool) -> EditedSpelling {
    var spelling = self
    spelling.isOnOneLine = isOnOneLine
    return spelling
  }

  /// The bytes of a key.
  func bytes(of key: PropertyListKey) throws(PropertyListError) -> [UInt8] {
    try bytes(of: .string(key.text))
  }

  /// The bytes of a value.
  ///
  /// - Parameter column: The number of characters before the value on its line.
  func bytes(of value: PropertyList, atColumn column: Int = 0) throws(PropertyListError) -> [UInt8] {
    try PropertyListWriter.bytes(of: value, spelled: self, atColumn: column)
  }
}
