import OpenStepPropertyList
import Testing

/// An error says what is wrong, and names the object and the byte.
@Suite struct BinaryErrorTests {
  private func message(_ bytes: [UInt8], bounds: PropertyList.Bounds = .init()) -> String {
    do throws(PropertyListError) {
      return "no error, but \(try PropertyList(parsingBinary: bytes, bounds: bounds))"
    } catch {
      return error.description
    }
  }

  @Test(
    "errors name the trouble and its place",
    arguments: [
      ([[0x00]], "object 0, byte 8: the object is null, for which a property list has no value"),
      ([[0x0F]], "object 0, byte 8: the object is a fill byte, which is no value"),
      (
        [[0xA1, 1], [0xC0]], "object 1, byte 10: the object is a set, for which a property list has no value"
      ),
      ([[0xB0]], "object 0, byte 8: the object is a set, for which a property list has no value"),
      (
        [[0x71, 0x61]],
        "object 0, byte 8: the object is a string in UTF-8, which only other versions of the format have"
      ),
      ([[0x15] + Array(repeating: 0, count: 32)], "object 0, byte 8: the object is of the unknown kind 0x15"),
      ([[0x0C]], "object 0, byte 8: the object is of the unknown kind 0x0c"),
      ([[0x20, 0]], "object 0, byte 8: the object is of the unknown kind 0x20"),
      ([[0x32, 0, 0, 0, 0]], "object 0, byte 8: the object is of the unknown kind 0x32"),
      ([[0xFF]], "object 0, byte 8: the object is of the unknown kind 0xff"),
      (
        [[0x52, 0x61, 0x80]], "object 0, byte 10: the object is an ASCII string with a byte that is not ASCII"
      ),
      (
        [[0x14, 0, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 8)],
        "object 0, byte 8: the object is a whole number outside of −2^63 to 2^64−1"
      ),
      (
        [[0x14] + Array(repeating: 0xFF, count: 8) + [0x7F] + Array(repeating: 0xFF, count: 7)],
        "object 0, byte 8: the object is a whole number outside of −2^63 to 2^64−1"
      ),
      (
        [[0x88, 1] + Array(repeating: 0, count: 8)],
        "object 0, byte 8: the object is a reference of an archive with more than 64 bits"
      ),
      ([[0xA1, 9]], "object 0, byte 9: the object refers to object 9 of 1"),
      (
        [[0xD1, 1, 1], [0x10, 5]], "object 0, byte 9: the object has object 1 for a key, which is no string"
      ),
      ([[0xD1, 1, 1], [0xA0]], "object 0, byte 9: the object has object 1 for a key, which is no string"),
      ([[0xD1, 0, 1], [0xA0]], "object 0, byte 9: the object has object 0 for a key, which is no string"),
      (
        [[0xD1, 1, 1], [0x80, 1]], "object 0, byte 9: the object has object 1 for a key, which is no string"
      ),
      (
        [[0xD2, 1, 2, 2, 2], [0x51, 0x61], [0x51, 0x61]], "object 0, byte 9: the object has the key “a” twice"
      ),
      ([[0xD2, 1, 1, 1, 1], [0x51, 0x61]], "object 0, byte 9: the object has the key “a” twice"),
      ([[0xA1, 0]], "object 0, byte 9: the object contains itself, by way of this reference"),
      (
        [[0xA1, 1], [0xA2, 2, 0], [0x09]],
        "object 0, byte 12: the object contains itself, by way of this reference"
      ),
      (
        [[0xD1, 1, 0], [0x51, 0x61]],
        "object 0, byte 10: the object contains itself, by way of this reference"
      ),
      ([[0x5F]], "object 0, byte 9: the object ends before its count"),
      ([[0x5F, 0x11, 1]], "object 0, byte 9: the object ends before its count"),
      (
        [[0x5F, 0x51, 0x61]], "object 0, byte 9: the object has the marker 0x51 where its count was expected"
      ),
      (
        [[0x52, 0x61]],
        "object 0, byte 8: the object reaches beyond the file’s objects, of which 1 bytes are left"
      ),
      (
        [[0x13, 0]],
        "object 0, byte 8: the object reaches beyond the file’s objects, of which 1 bytes are left"
      ),
    ] as [([[UInt8]], String)])
  func places(objects: [[UInt8]], expected: String) {
    #expect(message(BinaryFile.bytes(objects)) == expected)
  }

  @Test(
    "counts that no file can hold are refused before anything is allocated",
    arguments: [0x4F, 0x5F, 0x6F, 0xAF, 0xDF] as [UInt8],
    [
      [0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x13, 0x80, 0, 0, 0, 0, 0, 0, 0],
      [0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x13, 0x40, 0, 0, 0, 0, 0, 0, 0],
      [0x13, 0x20, 0, 0, 0, 0, 0, 0, 1], [0x12, 0xFF, 0xFF, 0xFF, 0xFF], [0x12, 0x7F, 0xFF, 0xFF, 0xFF],
      [0x10, 1],
    ] as [[UInt8]])
  func counts(marker: UInt8, count: [UInt8]) {
    #expect(message(BinaryFile.bytes([[marker] + count])).contains("reaches beyond the file’s objects"))
    let sized = BinaryFile.bytes([[marker] + count], referenceSize: 8)
    #expect(message(sized).contains("reaches beyond the file’s objects"))
  }

  @Test(
    "a broken trailer is an error",
    arguments: [
      (26, 0, "offsets have 0 bytes, not 1 to 8"), (26, 9, "offsets have 9 bytes, not 1 to 8"),
      (25, 0, "references have 0 bytes, not 1 to 8"), (25, 9, "references have 9 bytes, not 1 to 8"),
      (24, 0x7F, "the table of 9151314442816847873 offsets does not end where the trailer begins"),
      (17, 0, "the table of 0 offsets does not end where the trailer begins"),
      (17, 2, "the table of 2 offsets does not end where the trailer begins"),
      (9, 5, "the root is object 5 of 1"), (16, 0xFF, "the root is object 18374686479671623680 of 1"),
      (1, 0xFF, "the table of offsets begins outside of the file"),
      (1, 8, "the table of offsets begins outside of the file"),
      (1, 10, "the table of 1 offsets does not end where the trailer begins"),
      (8, 0x80, "the table of offsets begins outside of the file"),
    ])
  func trailer(fromEnd: Int, value: Int, expected: String) {
    var bytes = BinaryFile.bytes([[0x09]])
    bytes[bytes.count - fromEnd] = UInt8(value)
    #expect(
      message(bytes).hasSuffix("the trailer is broken, perhaps because the file was cut off: \(expected)"))
  }

  @Test("an offset outside of the objects is an error") func offsets() {
    for offset in [0, 7, 9, 255] as [UInt8] {
      var bytes = BinaryFile.bytes([[0x09]], offsetSize: 1)
      bytes[9] = offset
      #expect(message(bytes) == "object 0, byte 9: the object lies outside of the file, at \(offset)")
    }
    var bytes = BinaryFile.bytes([[0x09]], offsetSize: 8)
    bytes[9] = 0xFF
    #expect(message(bytes).contains("lies outside of the file, at 18374686479671623688"))
  }

  @Test("other files are none of this format") func others() {
    #expect(message([]) == "byte 0: the file does not begin with “bplist00”")
    #expect(message(Array("{a = 1;}".utf8)) == "byte 0: the file does not begin with “bplist00”")
    #expect(
      message(Array("bplist15".utf8))
        == "byte 6: the file is of a version of the binary format that is not known")
    #expect(
      message(Array("bplist00".utf8))
        == "byte 8: the file ends before its trailer of 32 bytes; it was cut off")
    #expect(
      PropertyList.isBinary(Array("bplist15".utf8)) && PropertyList.isBinary(BinaryFile.bytes([[0x09]])))
    #expect(!PropertyList.isBinary([]) && !PropertyList.isBinary(Array("bplis".utf8)))
  }

  @Test("bounds are kept") func bounds() {
    var bounds = PropertyList.Bounds()
    let bytes = BinaryFile.bytes([[0xA2, 1, 2], [0xA1, 2], [0x09]])
    bounds.byteCount = bytes.count - 1
    #expect(
      message(bytes, bounds: bounds)
        == "the file has \(bytes.count) bytes; at most \(bytes.count - 1) are read")
    bounds.byteCount += 1
    #expect(message(bytes, bounds: bounds).hasPrefix("no error"))
    bounds.objectCount = 2
    #expect(message(bytes, bounds: bounds).hasSuffix("the file has 3 objects; at most 2 are read"))
    bounds = PropertyList.Bounds()
    bounds.depth = 1
    #expect(
      message(bytes, bounds: bounds) == "object 1, byte 11: the object makes more than 1 nested containers")
    bounds.depth = 2
    #expect(message(bytes, bounds: bounds).hasPrefix("no error"))
    // A shared array is as deep where it is referred to as where it was read.
    let shared = BinaryFile.bytes([[0xA2, 1, 2], [0xA1, 3], [0xA1, 1], [0x09]])
    #expect(message(shared, bounds: bounds).hasSuffix("the object makes more than 2 nested containers"))
    let uid = BinaryFile.bytes([[0xA2, 2, 1], [0xA1, 2], [0x80, 5]])
    #expect(message(uid, bounds: bounds).hasSuffix("the object makes more than 2 nested containers"))
    bounds.depth = 3
    #expect(message(uid, bounds: bounds).hasPrefix("no error"))
  }

  @Test("a value that is nested too deep is not written") func deep() throws {
    let deepest = (0..<1000).reduce([:] as PropertyList) { value, _ in ["k": value] }
    let error = #expect(throws: PropertyListError.self) { try deepest.binaryBytes() }
    #expect(error?.message == "the value has more than 1000 nested containers, too many to be read back")
    let uid = (0..<1000).reduce(["CF$UID": .integer(1)] as PropertyList) { value, _ in [value] }
    #expect(throws: PropertyListError.self) { try uid.binaryBytes() }
  }
}
