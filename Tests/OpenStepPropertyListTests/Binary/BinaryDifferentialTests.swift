import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What other programs make of our files, and we of theirs.
///
/// `PROPERTY_LIST_TREES` is how many trees are made, a few hundred at first; the long run has 100,000.
@Suite struct BinaryDifferentialTests {
  private static let treeCount =
    ProcessInfo.processInfo.environment["PROPERTY_LIST_TREES"].flatMap { Int($0) } ?? 400

  private func trees(seed: UInt64) -> [PropertyList] {
    var random = RandomValues(seed: seed)
    return (0..<Self.treeCount).map { _ in random.dictionary() }
  }

  @Test("what is written is read back, and no larger than what Foundation writes")
  func foundation() throws {
    for tree in trees(seed: 21) {
      let bytes = try tree.binaryBytes()
      #expect(try PropertyList(parsingBinary: bytes) == tree)
      // Foundation has one of two keys that are canonically equal.
      if tree.hasCanonicallyEqualKeys { continue }
      let data = try PropertyListSerialization.data(
        fromPropertyList: tree.foundationObject, format: .binary, options: 0)
      let theirs = try PropertyList(parsingBinary: [UInt8](data))
      let object = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
      let read = try PropertyList(foundationObject: object)
      let written = tree.asFoundationWrites
      guard theirs == written, try written.binaryBytes().count <= data.count, read == tree.asFoundationReads
      else {
        Issue.record(
          "\(bytes.count) \(data.count)\n\(tree.taggedText)\n\(theirs.taggedText)\n\(read.taggedText)")
        return
      }
    }
  }

  @Test("a changed byte is a value or an error, and a value that Foundation reads too is the same")
  func mutations() throws {
    var generator = SeededGenerator(seed: 22)
    var (agreed, refused) = (0, 0)
    for tree in trees(seed: 23) {
      var bytes = try tree.binaryBytes()
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] = UInt8.random(in: 0...255, using: &generator)
      }
      guard let value = try? PropertyList(parsingBinary: bytes) else {
        refused += 1
        continue
      }
      #expect(try PropertyList(parsingBinary: value.binaryBytes()) == value)
      if value.hasCanonicallyEqualKeys { continue }
      guard let object = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
        let found = try? PropertyList(foundationObject: object)
      else { continue }
      agreed += 1
      if found != value.asFoundationReads {
        Issue.record("\(found.taggedText)\n\(value.taggedText)\n\(bytes)")
      }
    }
    #expect(agreed > 0 && refused > 0)
  }
}

extension PropertyList {
  /// The value as Foundation's objects hold it: each number in single precision is one in double.
  var asFoundationReads: PropertyList {
    mapNumbers {
      if case .float(let number) = $0 { .real(Double(number)) } else { $0 }
    }
  }

  /// The value as Foundation writes it: what is no number loses its bits, and is written in double precision.
  var asFoundationWrites: PropertyList {
    mapNumbers {
      switch $0 {
      case .float(let number) where number.isNaN: .real(.nan)
      case .real(let number) where number.isNaN: .real(.nan)
      default: $0
      }
    }
  }

  private func mapNumbers(_ transform: (PropertyList) -> PropertyList) -> PropertyList {
    switch self {
    case .array(let elements): .array(elements.map { $0.mapNumbers(transform) })
    case .dictionary(let entries): .dictionary(entries.mapValues { $0.mapNumbers(transform) })
    default: transform(self)
    }
  }
}
