import OpenStepPropertyList
import Testing

/// What has to hold for each edit of a file that a program or a person wrote.
struct EditedFileCheck {
  let name: String
  let bytes: [UInt8]
  let options: PropertyList.ParsingOptions

  /// Sets, removes and adds the keys of the outermost dictionary, as a save does.
  ///
  /// - Returns: The number of keys; 0 if the file is no dictionary.
  func changeKeys() throws -> Int {
    guard case .dictionary(let values) = try PropertyList(parsing: bytes, options: options) else { return 0 }
    // Of the largest dictionaries some keys.
    let step = 1 + values.count / 200
    let keys = values.keys.sorted().enumerated().filter { $0.offset % step == 0 }.map(\.element)
    for key in keys {
      let set = try edited(bytes, key, "new")
      if let old = values[key] { expectOneLine(set, replacing: old, "\(key)") }
      var expected = values
      expected[key] = "new"
      try expect(set, holds: expected, "\(key)")
      expected[key] = nil
      let removed = try edited(bytes, key, nil)
      try expect(removed, holds: expected, "\(key)")
      let new = PropertyListKey(key.text + "+")
      let added = try edited(bytes, new, "x")
      try expectFirstBytes(of: edited(added, new, nil), after: added, "\(key)")
    }
    return keys.count
  }

  /// Sets, adds and removes values at all depths, as a program that edits the file does.
  ///
  /// - Parameter count: How many strings are changed, which lie evenly in the file.
  /// - Returns: The number of strings that were changed.
  func changeStrings(_ count: Int) throws -> Int {
    let value = try PropertyList(parsing: bytes, options: options)
    var paths: [[PropertyListPathStep]] = []
    EditedFileCheck.collectStrings(of: value, at: [], into: &paths)
    let step = 1 + paths.count / count
    let chosen = paths.enumerated().filter { $0.offset % step == 0 && !$0.element.isEmpty }.map(\.element)
    var editor = try PropertyListTextEditor(bytes, options: options)
    for path in chosen {
      let place = path.map(\.description).joined()
      let old = try #require(try editor.value(at: path), "\(name) \(place)")
      try editor.set("new", at: path)
      #expect(try editor.value(at: path) == "new", "\(name) \(place)")
      expectOneLine(editor.bytes, replacing: old, place)
      try editor.set(old, at: path)
      #expect(try editor.value == value, "\(name) \(place)")
      // A string may have been spelled otherwise before.
      editor = try PropertyListTextEditor(bytes, options: options)
      guard case .key(let key)? = path.last else { continue }
      let new = Array(path.dropLast()) + [.key(PropertyListKey(key.text + "+"))]
      try editor.set("x", at: new)
      let added = editor.bytes
      #expect(try editor.remove(at: new), "\(name) \(place)")
      expectFirstBytes(of: editor.bytes, after: added, place)
      editor = try PropertyListTextEditor(bytes, options: options)
    }
    return chosen.count
  }

  private static func collectStrings(
    of value: PropertyList, at path: [PropertyListPathStep], into paths: inout [[PropertyListPathStep]]
  ) {
    switch value {
    case .string: paths.append(path)
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        collectStrings(of: element, at: path + [.index(index)], into: &paths)
      }
    case .dictionary(let entries):
      for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
        collectStrings(of: entry, at: path + [.key(key)], into: &paths)
      }
    default: break
    }
  }

  private func edited(
    _ bytes: [UInt8], _ key: PropertyListKey, _ value: PropertyList?
  ) throws -> [UInt8] {
    let checked = DictionaryText(checking: bytes, options: options)
    let edited = try EditedDictionary(
      changing: bytes, checked: checked, by: [key: value], options: options, style: .openStep)
    return try #require(edited, "\(name) \(key)").bytes
  }

  private func expect(
    _ bytes: [UInt8], holds values: [PropertyListKey: PropertyList], _ place: String
  ) throws {
    #expect(try PropertyList(parsing: bytes, options: options) == .dictionary(values), "\(name) \(place)")
  }

  /// Only one line changes, unless the old value stood on several.
  private func expectOneLine(_ new: [UInt8], replacing old: PropertyList, _ place: String) {
    guard case .string(let text) = old, !text.contains(where: \.isNewline) else { return }
    let (before, after) = (
      bytes.split(separator: 0x0A, omittingEmptySubsequences: false),
      new.split(separator: 0x0A, omittingEmptySubsequences: false)
    )
    #expect(
      before.count == after.count && zip(before, after).count { $0 != $1 } <= 1, "\(name) \(place)")
  }

  /// A missing last semicolon, of one or two bytes, is added for good.
  private func expectFirstBytes(of new: [UInt8], after added: [UInt8], _ place: String) {
    #expect(
      new == bytes || (1...2).contains(new.count - bytes.count) && added.count > new.count, "\(name) \(place)"
    )
  }
}
