import DefaultsDatabase
import OpenStepPropertyList

/// A file is a value or an error; what is written of the value in any format reads back equal.
enum FormatCheck {
  static func check(_ bytes: [UInt8], as format: DomainFileFormat) {
    let start: [UInt8] =
      switch format {
      case .xml: Array("<?xml".utf8)
      case .binary: Array("bplist0".utf8)
      case .openStep, .gnustep: []
      }
    // Most inputs would be text otherwise.
    let file = DomainFileFormat(recognising: bytes) == format ? bytes : start + bytes
    checkWithoutValues(file)
    do throws(FormatError) {
      let (value, found) = try DomainFileFormat.propertyList(from: file)
      precondition(found == format, "the format is not recognised")
      for format in [DomainFileFormat.openStep, .xml, .binary] { checkWriting(value, as: format) }
    } catch {
      precondition(!error.message.isEmpty, "an error without a message")
    }
  }

  /// A document that is accepted without making values has the values that the parser makes.
  private static func checkWithoutValues(_ file: [UInt8]) {
    guard let accepted = DictionaryText(checkingXML: file) else { return }
    do throws(PropertyListError) {
      let value = try PropertyList(parsingXML: file)
      precondition(.dictionary(accepted.values) == value, "other values than the parser's")
    } catch {
      preconditionFailure("accepted, but the parser does not read it: \(error)")
    }
  }

  private static func checkWriting(_ value: PropertyList, as format: DomainFileFormat) {
    let written: [UInt8]
    do throws(FormatError) {
      written = try format.bytes(of: value)
    } catch {
      precondition(format != .openStep, "text does not take a value that was read: \(error)")
      return
    }
    do throws(FormatError) {
      let read = try DomainFileFormat.propertyList(from: written, textOptions: .domainFile)
      precondition(read.value == value && read.format == format, "\(format) reads back otherwise")
    } catch {
      // A domain's file is a dictionary with at least its braces, and a text with a token.
      preconditionFailure("\(format) does not read back: \(error)")
    }
  }
}
