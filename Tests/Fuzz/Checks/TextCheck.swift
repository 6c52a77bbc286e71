import OpenStepPropertyList

/// A text is a value or an error with a place in it, and what is written of the value reads back equal.
enum TextCheck {
  /// - Parameter bytes: How the text is to be read, in the bits of the first byte, and the text.
  static func check(_ bytes: [UInt8]) {
    guard let bits = bytes.first else { return }
    var options = PropertyList.ParsingOptions()
    options.form = [.file, .domainFile, .argument, .file][Int(bits & 3)]
    options.eightBitEncoding = bits & 4 == 0 ? .nextStep : .isoLatin1
    options.octalEscapes = bits & 8 == 0 ? .nextStep : .utf8Bytes
    options.honoursTypeNotes = bits & 16 == 0
    let text = Array(bytes.dropFirst())
    checkWithoutValues(text, options)
    do throws(PropertyListError) {
      checkWriting(try PropertyList(parsing: text, options: options))
    } catch {
      check(error, of: text)
    }
  }

  /// What is accepted without making values has the values that the parser makes.
  private static func checkWithoutValues(_ text: [UInt8], _ options: PropertyList.ParsingOptions) {
    guard let accepted = DictionaryText(checking: text, options: options) else { return }
    do throws(PropertyListError) {
      let value = try PropertyList(parsing: text, options: options)
      precondition(.dictionary(accepted.values) == value, "other values than the parser's")
    } catch {
      preconditionFailure("accepted, but the parser does not read it: \(error)")
    }
  }

  static func check(_ error: PropertyListError, of text: [UInt8]) {
    precondition(!error.message.isEmpty && error.line >= 1 && error.column >= 1, "an error without a place")
    // No line end is shorter than a byte, and no character.
    precondition(error.line <= text.count + 1 && error.column <= text.count + 1, "a place beyond the text")
  }

  /// Writes a value in every style and reads it back.
  static func checkWriting(_ value: PropertyList) {
    // Window Maker's style keeps no types.
    for style in PropertyList.Style.allCases where style != .windowMaker {
      let written: [UInt8]
      do throws(PropertyListError) {
        written = try value.bytes(style: style)
      } catch {
        // Only GNUstep's form has no room for some dates.
        precondition(style == .gnustep, "\(style) does not take a value that was read: \(error)")
        continue
      }
      if style == .ascii || style == .gnustep {
        precondition(written.allSatisfy { $0 < 0x80 }, "\(style) has more than ASCII")
      }
      if style == .oneLine { precondition(!written.contains(0x0A), "\(style) has a line end") }
      var options = PropertyList.ParsingOptions()
      options.honoursTypeNotes = true
      do throws(PropertyListError) {
        let expected = style == .gnustep ? withoutFloats(value) : value
        let read = try PropertyList(parsing: written, options: options)
        precondition(read == expected, "\(style) reads back otherwise")
      } catch {
        preconditionFailure("\(style) does not read back: \(error)")
      }
    }
  }

  /// GNUstep's form knows one kind of real number.
  private static func withoutFloats(_ value: PropertyList) -> PropertyList {
    switch value {
    case .float(let number): .real(Double(number))
    case .array(let elements): .array(elements.map(withoutFloats))
    case .dictionary(let entries): .dictionary(entries.mapValues(withoutFloats))
    case .string, .data, .integer, .real, .boolean, .date: value
    }
  }
}
