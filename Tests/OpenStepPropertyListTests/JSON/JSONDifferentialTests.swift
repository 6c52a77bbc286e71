import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What other programs make of our texts, and we of theirs.
///
/// `PROPERTY_LIST_TREES` is how many trees are made, a few hundred at first; the long run has 100,000.
@Suite struct JSONDifferentialTests {
  private static let treeCount =
    ProcessInfo.processInfo.environment["PROPERTY_LIST_TREES"].flatMap { Int($0) } ?? 400

  private func trees(seed: UInt64) -> [PropertyList] {
    var random = RandomValues(seed: seed)
    return (0..<Self.treeCount).map { _ in random.dictionary().withoutWhatJSONLacks }
      .filter { !$0.hasCanonicallyEqualKeys }
  }

  @Test("what is written is read back equal, in both styles")
  func roundTrip() throws {
    for tree in trees(seed: 20) {
      for style in [PropertyList.JSONStyle.indented, .compact] {
        let bytes = try tree.jsonBytes(style: style)
        guard try PropertyList(parsingJSON: bytes) == tree else {
          Issue.record("\(String(decoding: bytes, as: UTF8.self))")
          return
        }
      }
    }
  }

  @Test("Foundation reads our texts as the same values, and we its texts")
  func foundation() throws {
    for tree in trees(seed: 21) {
      let bytes = try tree.jsonBytes()
      let object = try JSONSerialization.jsonObject(with: Data(bytes))
      guard try FoundationJSON.value(of: object) == tree.numbersAsReals else {
        Issue.record("\(String(decoding: bytes, as: UTF8.self))\n\(object)")
        return
      }
      let data = try JSONSerialization.data(withJSONObject: tree.foundationObject)
      guard try PropertyList(parsingJSON: [UInt8](data)).numbersAsReals == tree.numbersAsReals else {
        Issue.record("\(String(decoding: data, as: UTF8.self))")
        return
      }
    }
  }

  @Test("a changed text is a value or an error, and a value that Foundation reads too is the same")
  func mutations() throws {
    var generator = SeededGenerator(seed: 22)
    let inserted = Array("{}[]\",:\\/ \n\tu0123456789eE+-.truefalsn\u{E9}".utf8)
    var (agreed, refused) = (0, 0)
    for tree in trees(seed: 23) {
      var bytes = try tree.jsonBytes(style: .compact)
      bytes.mutate(inserting: inserted, using: &generator)
      let object = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
      guard let value = try? PropertyList(parsingJSON: bytes) else {
        refused += 1
        continue
      }
      // Foundation has one of two keys that are canonically equal.
      if value.hasCanonicallyEqualKeys { continue }
      guard let object else {
        Issue.record("Foundation refuses \(String(decoding: bytes, as: UTF8.self))")
        continue
      }
      agreed += 1
      if try FoundationJSON.value(of: object) != value.numbersAsReals {
        Issue.record("\(String(decoding: bytes, as: UTF8.self))\n\(object)\n\(value)")
      }
    }
    #expect(agreed > 0 && refused > 0)
  }

  @Test(
    "Python reads our texts, and we read what it writes of them; its own bytes are ours",
    .enabled(if: PythonJSON.isExpected, "python3 is not installed"))
  func python() throws {
    let trees = trees(seed: 24)
    let answers = try PythonJSON.rewritten(trees.map { try $0.jsonBytes(style: .compact) })
    for (tree, answer) in zip(trees, answers) {
      guard try PropertyList(parsingJSON: answer) == tree else {
        Issue.record("\(String(decoding: answer, as: UTF8.self))")
        return
      }
      // Python gives some numbers no exponent that have one to Swift.
      if tree.holdsRealsWithoutExponentInPython { continue }
      // Every character outside of ASCII is an escape to Python.
      let bytes = try tree.jsonBytes { $0.value >= 0x80 }
      guard bytes == answer + [UInt8(ascii: "\n")] else {
        Issue.record("\(String(decoding: bytes, as: UTF8.self))\n\(String(decoding: answer, as: UTF8.self))")
        return
      }
    }
  }
}

/// What Foundation's JSONSerialization reads.
private enum FoundationJSON {
  /// The value of an object, with all numbers as reals.
  static func value(of object: Any) throws -> PropertyList {
    switch object {
    case let elements as [Any]: .array(try elements.map(value))
    case let entries as [String: Any]:
      .dictionary(
        [PropertyListKey: PropertyList](
          uniqueKeysWithValues: try entries.map { (PropertyListKey($0.key), try value(of: $0.value)) }))
    case let number as NSDecimalNumber:
      // It has all digits, but its own Double is not always the nearest.
      PropertyList.real(Double(number.stringValue) ?? .nan).numbersAsReals
    default: try PropertyList(foundationObject: object).numbersAsReals
    }
  }
}

/// Python's json.
private enum PythonJSON {
  static var isExpected: Bool {
    BuildServer.isRunning
      || (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: $0 + "/python3")
      }
  }

  /// Reads texts and writes what was read again.
  static func rewritten(_ documents: [[UInt8]]) throws -> [[UInt8]] {
    let home = try TemporaryHome()
    for (index, document) in documents.enumerated() { try home.write(document, to: "\(index).json") }
    let program = """
      import json, sys
      for index in range(int(sys.argv[2])):
          name = "%s/%d.json" % (sys.argv[1], index)
          with open(name, "rb") as file:
              value = json.load(file)
          with open(name, "w") as file:
              json.dump(value, file, indent=4, sort_keys=True)
      """
    _ = try GNUstepProgram.run("/usr/bin/env", ["python3", "-c", program, home.path, "\(documents.count)"])
    return try documents.indices.map { try home.bytes(of: "\($0).json") }
  }
}

extension PropertyList {
  /// The value with something else in place of data, dates, floats, infinities and NaN.
  fileprivate var withoutWhatJSONLacks: PropertyList {
    switch self {
    case .data(let bytes): .array(bytes.map { .integer(PropertyListInteger(Int64($0))) })
    case .date(let date): .real(date.secondsSinceReferenceDate).withoutWhatJSONLacks
    case .float(let number): .real(Double(number)).withoutWhatJSONLacks
    case .real(let number): number.isFinite ? self : .string("\(number)")
    case .array(let elements): .array(elements.map(\.withoutWhatJSONLacks))
    case .dictionary(let entries): .dictionary(entries.mapValues(\.withoutWhatJSONLacks))
    case .string, .integer, .boolean: self
    }
  }

  /// Whether a number is above the last of which Swift writes all digits, and below the first to which Python
  /// gives an exponent.
  fileprivate var holdsRealsWithoutExponentInPython: Bool {
    switch self {
    case .real(let number): number.magnitude > 0x1p53 && number.magnitude < 1e16
    case .array(let elements): elements.contains(where: \.holdsRealsWithoutExponentInPython)
    case .dictionary(let entries): entries.values.contains(where: \.holdsRealsWithoutExponentInPython)
    case .string, .data, .integer, .float, .boolean, .date: false
    }
  }

  /// The value with reals in place of integers and zero in place of −0.0: Foundation writes 1.0 as 1, and
  /// −0.0 as -0.
  fileprivate var numbersAsReals: PropertyList {
    switch self {
    case .integer(let number): .real(number.doubleValue)
    case .real(let number): .real(number == 0 ? 0 : number)
    case .array(let elements): .array(elements.map(\.numbersAsReals))
    case .dictionary(let entries): .dictionary(entries.mapValues(\.numbersAsReals))
    case .string, .data, .float, .boolean, .date: self
    }
  }
}
