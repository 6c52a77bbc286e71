import OpenStepPropertyList

/// A binary property list is a value or an error with a place; what is written of the value reads back equal.
enum BinaryCheck {
  static func check(_ bytes: [UInt8]) {
    // Most inputs would have another head, which says nothing of the reader.
    let file = PropertyList.isBinary(bytes) ? bytes : Array("bplist00".utf8) + bytes
    do throws(PropertyListError) {
      let (value, warnings) = try PropertyList.parsingWithWarnings(binary: file)
      precondition(
        warnings.allSatisfy { $0.offset.map(file.indices.contains) == true }, "a warning without a place")
      checkWriting(value)
    } catch {
      precondition(!error.message.isEmpty, "an error without a message")
      precondition(error.offset.map { $0 <= file.count } == true, "an error without a place")
    }
  }

  private static func checkWriting(_ value: PropertyList) {
    do throws(PropertyListError) {
      let written = try value.binaryBytes()
      let read = try PropertyList(parsingBinary: written)
      precondition(read == value, "the file reads back otherwise")
      let again = try read.binaryBytes()
      precondition(again == written, "equal values have two files")
    } catch {
      preconditionFailure("what was read is not written, or not read back: \(error)")
    }
  }
}
