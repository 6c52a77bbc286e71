import DefaultsImport
import TestSupport
import Testing

/// JSON with a tag at every value.
struct TaggedJSONTests {
  // The path to each value was copied.
  @Test("values take no longer at a hundred times the depth")
  func depth() throws {
    let leaves = Array(repeating: "{\"s\":\"x\"}", count: 20_000).joined(separator: ",")
    let growth = try growth(from: 4, to: 400, bound: 3) { depth in
      let text =
        String(repeating: "{\"a\":[", count: depth) + leaves + String(repeating: "]}", count: depth)
      let bytes = Array(text.utf8)
      let start = threadTime()
      let value = try TaggedJSON.value(from: bytes)
      let time = threadTime() - start
      #expect(TaggedJSON.isTagged(value) == false)
      return time
    }
    #expect(growth < 3)
  }
}
