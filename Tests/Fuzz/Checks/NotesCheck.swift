import OpenStepPropertyList

/// A note makes a typed value only of a text that is one, and otherwise is a comment.
enum NotesCheck {
  private static let notes = ["integer", "real", "float", "boolean", "date", " integer", "integers", ""]

  /// - Parameter bytes: The note's number, how the text is quoted, and the text.
  static func check(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return }
    let note = notes[Int(bytes[0]) % notes.count]
    let content = String(decoding: bytes.dropFirst(2), as: UTF8.self)
    let plain = PropertyList.string(content)
    // In quotes for certain, or as the writer would have it.
    var text =
      "\"" + content.unicodeScalars.map { "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined()
      + "\""
    if bytes[1] & 1 == 1, let written = try? plain.text(style: .openStep) { text = written }
    let whole = "{ a = \(text) /*\(note)*/; b = (\(text) /*\(note)*/, x); }"
    var options = PropertyList.ParsingOptions()
    do throws(PropertyListError) {
      guard case .dictionary(let strings) = try PropertyList(parsing: whole, options: options) else {
        preconditionFailure("the text is no dictionary")
      }
      options.honoursTypeNotes = true
      guard case .dictionary(let values) = try PropertyList(parsing: whole, options: options),
        let value = values["a"], case .string(let read)? = strings["a"]
      else { preconditionFailure("the text is no dictionary of a string") }
      precondition(values["b"] == .array([value, "x"]), "a note means something else in an array")
      check(value, read, note)
      TextCheck.checkWriting(.dictionary(values))
    } catch {
      preconditionFailure("a note makes a text unreadable: \(error)")
    }
  }

  private static func check(_ value: PropertyList, _ text: String, _ note: String) {
    switch value {
    case .string(let string): precondition(string.utf8.elementsEqual(text.utf8), "a note changes a string")
    case .integer: precondition(note == "integer")
    case .real: precondition(note == "real")
    case .float: precondition(note == "float")
    case .boolean(let truth): precondition(note == "boolean" && text == (truth ? "YES" : "NO"))
    case .date: precondition(note == "date")
    case .data, .array, .dictionary: preconditionFailure("a note makes a scalar something else")
    }
  }
}
