import OpenStepPropertyList
import TestSupport
import Testing

/// Texts that are given in pieces, and those that may have only so many bytes.
struct TextPieceTests {
  /// A value whose texts have many pieces, with scalars that are longer than a piece.
  private static let value: PropertyList = {
    var values = RandomValues(seed: 4, range: .xml)
    var deep = PropertyList.array((0..<3000).map { .string("an element \($0)") })
    for level in 0..<40 { deep = level % 2 == 0 ? .array([deep, "x"]) : ["key": deep] }
    let long = String(repeating: "a long text, ", count: 20_000)
    return [
      "deep": deep, "random": .array((0..<300).map { _ in values.dictionary() }), "long": .string(long),
      "longs": .array([.data(Array(long.utf8)), .string(long), .data([1, 2])]), "short": ["a", "b"],
    ]
  }()

  private static func pieces(
    _ write: ((Span<UInt8>) throws -> Void) throws -> Void
  ) throws -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    try write { piece in pieces.append(piece.withUnsafeBufferPointer { Array($0) }) }
    return pieces
  }

  @Test("the pieces of a text are the text", arguments: PropertyList.Style.allCases)
  func text(style: PropertyList.Style) throws {
    let pieces = try Self.pieces { try Self.value.forEachTextPiece(style: style, $0) }
    let bytes = try Self.value.bytes(style: style)
    #expect(Array(pieces.joined()) == bytes)
    #expect(pieces.count > 3 && pieces.allSatisfy { $0.count < 1_000_000 })
    for value in ["text", .integer(5), .data([1]), [], [:], ["x"], ["bplist00": "bplist00"], "bplist00"]
      as [PropertyList]
    {
      let pieces = try Self.pieces { try value.forEachTextPiece(style: style, $0) }
      #expect(Array(pieces.joined()) == (try value.bytes(style: style)), "\(value)")
    }
  }

  @Test("the pieces of a JSON text are the text")
  func json() throws {
    let value = PropertyList.array([
      .string(String(repeating: "long ", count: 40_000)),
      .array((0..<30_000).map { ["a": .integer(PropertyListInteger($0)), "b": [.real(0.5), "é\u{2028}"]] }),
    ])
    let pieces = try Self.pieces { try value.forEachJSONPiece(escaping: { $0 == "é" }, $0) }
    #expect(Array(pieces.joined()) == (try value.jsonBytes(escaping: { $0 == "é" })))
    #expect(pieces.count > 5)
    for value in ["text", [], .boolean(true), ["a": [:]]] as [PropertyList] {
      let pieces = try Self.pieces { try value.forEachJSONPiece(escaping: { _ in false }, $0) }
      #expect(Array(pieces.joined()) == (try value.jsonBytes()))
    }
  }

  @Test("an error behind pieces names the place")
  func refused() {
    let value = PropertyList.array((0..<100_000).map { .string("\($0)") } + [.data([1])])
    var count = 0
    let error = #expect(throws: PropertyListError.self) {
      try value.forEachJSONPiece(escaping: { _ in false }, { count += $0.count })
    }
    #expect(error?.message == "JSON cannot hold data at “100000”")
    #expect(count > 100_000)
  }

  @Test("a text and a document of more bytes than are allowed are refused, others are the same as ever")
  func bounded() throws {
    for style in PropertyList.Style.allCases {
      let bytes = try Self.value.bytes(style: style)
      #expect(try Self.value.bytes(style: style, within: bytes.count) == bytes)
      for count in [bytes.count - 1, bytes.count / 2, 70_000, 1] {
        #expect(throws: PropertyListError.self) { try Self.value.bytes(style: style, within: count) }
      }
    }
    for style in [PropertyList.XMLStyle.apple, .gnustep] {
      let bytes = try Self.value.xmlBytes(style: style)
      #expect(try Self.value.xmlBytes(style: style, within: bytes.count) == bytes)
      for count in [bytes.count - 1, bytes.count / 2, 70_000, 1] {
        #expect(throws: PropertyListError.self) { try Self.value.xmlBytes(style: style, within: count) }
      }
    }
  }
}
