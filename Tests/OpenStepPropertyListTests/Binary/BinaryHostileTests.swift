import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// Files that were made to bring a reader down, and those that damage brings about.
@Suite struct BinaryHostileTests {
  private func refusal(of bytes: [UInt8]) -> PropertyListError? {
    do throws(PropertyListError) {
      _ = try PropertyList(parsingBinary: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("every beginning of a file is an error") func truncated() throws {
    for bytes in [BinaryFile.plistlib, BinaryFile.bytes([[0x09]]), BinaryFile.nested(20)] {
      for count in 0..<bytes.count {
        let error = try #require(refusal(of: Array(bytes.prefix(count))), "\(count)")
        #expect(!error.message.isEmpty)
      }
    }
  }

  @Test("every change of a byte is a value or an error with a place") func mutations() throws {
    let files = [
      BinaryFile.plistlib, BinaryFile.bomb(levels: 4),
      BinaryFile.bytes([
        [0xD2, 1, 2, 3, 4], BinaryFile.string("a"), [0x61, 0, 0xE9], [0xA2, 5, 4], [0x80, 5], [0x09],
      ]),
    ]
    for file in files {
      for index in file.indices {
        // Every value in a small file, elsewhere those that markers, counts and the trailer are made of.
        let values = file.count < 100 ? Array(0...255) : [0, 1, 9, 0x0F, 0x13, 0x5F, 0xAF, 0xDF, 0xFF]
        for value in values {
          var changed = file
          changed[index] = UInt8(value)
          guard let error = refusal(of: changed) else {
            // What is read is written and read again.
            let value = try PropertyList(parsingBinary: changed)
            #expect(try PropertyList(parsingBinary: value.binaryBytes()) == value, "\(index) \(value)")
            continue
          }
          let offset = try #require(error.offset)
          #expect(!error.message.isEmpty && offset <= changed.count)
        }
      }
    }
  }

  @Test("a small file that expands beyond measure is refused at once", arguments: [24, 40, 200])
  func bomb(levels: Int) throws {
    let error = try #require(refusal(of: BinaryFile.bomb(levels: levels)))
    #expect(error.message == "the object refers to shared objects so often that its value would be too large")
  }

  @Test("the time that shared levels take does not double with each") func bombTime() throws {
    // Each level is one array, read once: 18 levels expand to 2^18 values, 36 would to 2^36.
    let ratio = growth(from: 18, to: 180, bound: 100) { levels in
      let bytes = BinaryFile.bomb(levels: levels)
      let start = threadTime()
      for _ in 0..<100 { _ = try? PropertyList(parsingBinary: bytes) }
      return threadTime() - start
    }
    #expect(ratio < 100)
  }

  @Test("twenty shared levels are a value or an error, and what is a value is written") func twenty() throws {
    #expect(refusal(of: BinaryFile.bomb(levels: 20)) != nil)
    // 2^15 values in as many containers are within the bounds.
    let value = try PropertyList(parsingBinary: BinaryFile.bomb(levels: 15))
    #expect(try PropertyList(parsingBinary: value.binaryBytes()) == value)
    var bounds = PropertyList.Bounds()
    bounds.sharingFactor = .max
    let deep = try PropertyList(parsingBinary: BinaryFile.bomb(levels: 60), bounds: bounds)
    guard case .array(let elements) = deep else { return #expect(Bool(false)) }
    #expect(elements.count == 2)
    // Sums saturate.
    #expect(throws: PropertyListError.self) {
      try PropertyList(parsingBinary: BinaryFile.bomb(levels: 200), bounds: bounds)
    }
  }

  @Test("a large string that is shared too often is refused") func largeString() {
    let text: [UInt8] =
      [0x5F, 0x12] + BinaryFile.bigEndian(1_000_000, size: 4) + Array(repeating: 0x61, count: 1_000_000)
    let level: [UInt8] = [0xAA] + Array(repeating: 2, count: 10)
    let root: [UInt8] = [0xAA] + Array(repeating: 1, count: 10)
    #expect(refusal(of: BinaryFile.bytes([root, level, text]))?.message.contains("shared objects") == true)
  }

  /// Thousands of arrays that begin one after the other in a few bytes, each with so many elements.
  private func overlapping(arrays: Int, count: Int) -> [UInt8] {
    // With references of two bytes an array's header is two of them, and stands for a truth value.
    let objects = 0xAF12
    let header = [0xAF, 0x11] + BinaryFile.bigEndian(count, size: 2)
    var bytes = Array("bplist00".utf8) + [0x09, 0xAF, 0x11] + BinaryFile.bigEndian(arrays, size: 2)
    for array in 1...arrays { bytes += BinaryFile.bigEndian(array, size: 2) }
    let first = bytes.count
    for _ in 0..<arrays + count / 2 { bytes += header }
    let table = bytes.count
    for object in 0..<objects {
      let offset = object == 0 ? 9 : object <= arrays ? first + 4 * (object - 1) : 8
      bytes += BinaryFile.bigEndian(offset, size: 4)
    }
    bytes += [0, 0, 0, 0, 0, 0, 4, 2] + BinaryFile.bigEndian(objects, size: 8)
    return bytes + BinaryFile.bigEndian(0, size: 8) + BinaryFile.bigEndian(table, size: 8)
  }

  @Test("thousands of arrays that claim the same bytes are refused before all are walked") func overlap()
    throws
  {
    let error = try #require(refusal(of: overlapping(arrays: 8000, count: 44_000)))
    #expect(error.message.contains("overlaps others: together they would expand"))
    let ratio = growth(from: 1000, to: 8000, bound: 30) { arrays in
      let bytes = overlapping(arrays: arrays, count: 44_000)
      let start = threadTime()
      _ = try? PropertyList(parsingBinary: bytes)
      return threadTime() - start
    }
    #expect(ratio < 30)
  }

  @Test("thousands of strings that claim the same bytes are refused") func overlappingStrings() throws {
    var bytes = Array("bplist00".utf8) + [0xAF, 0x11] + BinaryFile.bigEndian(5000, size: 2)
    for string in 1...5000 { bytes += BinaryFile.bigEndian(string, size: 2) }
    let first = bytes.count
    // ASCII as well as UTF-16 begins anywhere in a run of “_”, “\u{12}” and a count.
    bytes += Array(repeating: [0x5F, 0x12, 0, 0, 0x7F, 0x7F], count: 5000).flatMap { $0 }
    bytes += Array(repeating: 0x61, count: 40_000)
    let table = bytes.count
    bytes += BinaryFile.bigEndian(8, size: 4)
    for string in 0..<5000 { bytes += BinaryFile.bigEndian(first + 6 * string, size: 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 2] + BinaryFile.bigEndian(5001, size: 8)
    bytes += BinaryFile.bigEndian(0, size: 8) + BinaryFile.bigEndian(table, size: 8)
    #expect(try #require(refusal(of: bytes)).message.contains("overlaps others"))
  }

  @Test("deep nesting is an error, at whatever depth", arguments: [1001, 5000, 1_000_000])
  func deep(depth: Int) throws {
    let error = try #require(refusal(of: BinaryFile.nested(depth)))
    #expect(error.message == "the object makes more than 1000 nested containers")
    #expect(error.object == 1000)
  }

  @Test("the deepest value is read and written on a thread with a small stack", arguments: [false, true])
  func smallStack(inDictionaries: Bool) async throws {
    let value = nested(1000, inDictionaries: inDictionaries)
    let isSame = await onThread(stack: 64 << 10) {
      let bytes = try? value.binaryBytes()
      let read = try? PropertyList(parsingBinary: bytes ?? [])
      // Never let go of: that goes inwards by recursion, which takes more stack, and may be this thread's to do.
      _ = Unmanaged.passRetained(Kept(values: [value, read]))
      return bytes != nil && read == value
    }
    #expect(isSame)
  }

  private final class Kept: Sendable {
    let values: [PropertyList?]

    init(values: [PropertyList?]) {
      self.values = values
    }
  }
}
