import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What other programs make of our documents, and we of theirs.
///
/// `PROPERTY_LIST_TREES` is how many trees are made, a few hundred at first; the long run has 100,000.
@Suite struct XMLDifferentialTests {
  private static let treeCount =
    ProcessInfo.processInfo.environment["PROPERTY_LIST_TREES"].flatMap { Int($0) } ?? 400

  private func trees(seed: UInt64) -> [PropertyList] {
    var random = RandomValues(seed: seed, range: .xml)
    return (0..<Self.treeCount).map { _ in random.dictionary() }.filter { !$0.hasCanonicallyEqualKeys }
  }

  @Test("Foundation writes the same bytes, and each reads the other's")
  func foundation() throws {
    for tree in trees(seed: 15) {
      let bytes = try tree.xmlBytes()
      let data = try PropertyListSerialization.data(
        fromPropertyList: tree.foundationObject, format: .xml, options: 0)
      guard bytes == [UInt8](data), try PropertyList(parsingXML: bytes) == tree else {
        Issue.record("\(String(decoding: bytes, as: UTF8.self))")
        return
      }
      let object = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
      guard try PropertyList(foundationObject: object) == tree else {
        Issue.record("\(String(decoding: bytes, as: UTF8.self))\n\(object)")
        return
      }
    }
  }

  @Test("a changed byte is a value or an error, and a value that Foundation reads too is the same")
  func mutations() throws {
    var generator = SeededGenerator(seed: 16)
    let inserted = Array("<>&;/!?-[]\"'= \n\t0x1CDATA\u{E9}".utf8)
    var (agreed, refused) = (0, 0)
    for tree in trees(seed: 17) {
      var bytes = try tree.xmlBytes()
      bytes.mutate(inserting: inserted, using: &generator)
      guard let value = try? PropertyList(parsingXML: bytes) else {
        refused += 1
        continue
      }
      guard let object = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
        let found = try? PropertyList(foundationObject: object)
      else { continue }
      // Foundation has one of two keys that are canonically equal, no text before U+FEFF, and keeps CR.
      if value.hasCanonicallyEqualKeys { continue }
      agreed += 1
      if found != value { Issue.record("\(String(decoding: bytes, as: UTF8.self))\n\(found)\n\(value)") }
    }
    #expect(agreed > 0 && refused > 0)
  }

  @Test(
    "plistlib reads our documents, and we read what it writes of them",
    .enabled(if: PythonPropertyLists.isExpected, Comment(rawValue: PythonPropertyLists.absence)))
  func plistlib() throws {
    let trees = trees(seed: 18)
    let answers = try PythonPropertyLists.rewritten(trees.map { try $0.xmlBytes() })
    for (tree, answer) in zip(trees, answers) {
      guard try PropertyList(parsingXML: answer) == tree else {
        Issue.record("\(String(decoding: answer, as: UTF8.self))")
        return
      }
    }
  }

  @Test(
    "GNUstep reads our documents in its form",
    .enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)))
  func gnustep() throws {
    var random = RandomValues(seed: 19, range: .xml)
    // GNUstep 1.28 reads whole numbers above the greatest Int64 as that, and loses U+FEFF.
    let trees = (0..<Self.treeCount).map { _ in random.dictionary() }.filter { !$0.hasLargeIntegers }
    let documents = trees.map { tree -> [UInt8]? in
      guard let bytes = try? tree.xmlBytes(style: .gnustep) else { return nil }
      return String(decoding: bytes, as: UTF8.self).unicodeScalars.contains("\u{FEFF}") ? nil : bytes
    }
    let results = try GNUstepReader().read(documents.compactMap { $0 })
    for (tree, result) in zip(zip(trees, documents).filter { $0.1 != nil }.map(\.0), results) {
      guard result == tree else {
        Issue.record(
          "\(String(decoding: try tree.xmlBytes(style: .gnustep), as: UTF8.self))\n\(result?.taggedText ?? "an error")"
        )
        return
      }
    }
  }
}

extension PropertyList {
  fileprivate var hasLargeIntegers: Bool {
    switch self {
    case .integer(let number): number.exactly(as: Int64.self) == nil
    case .array(let elements): elements.contains(where: \.hasLargeIntegers)
    case .dictionary(let entries): entries.values.contains(where: \.hasLargeIntegers)
    default: false
    }
  }
}
