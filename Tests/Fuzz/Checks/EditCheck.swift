import OpenStepPropertyList

/// An edited text holds what was meant, in the same encoding, and nothing is changed where nothing differs.
enum EditCheck {
  /// - Parameter bytes: Which changes are made, and the text.
  static func check(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    let text = Array(bytes.dropFirst())
    let options = PropertyList.ParsingOptions.domainFile
    guard case .dictionary(let values)? = try? PropertyList(parsing: text, options: options) else { return }
    var changes: [PropertyListKey: PropertyList?] = [:]
    for (index, key) in values.keys.sorted().enumerated().prefix(8) {
      switch (index + Int(choice)) % 5 {
      case 0: changes[key] = .some(nil)
      case 1: changes[key] = "two words"
      case 2: changes[key] = ["x": "1", "y": [.integer(2), "z"]]
      case 3: changes[key] = values[key]
      default: break
      }
    }
    if choice & 0x80 != 0 { changes["New key"] = .boolean(true) }
    if choice & 0x40 != 0 { changes[""] = ["a", ["b": "é"]] }
    var expected = values
    for (key, value) in changes { expected[key] = value }
    check(text, changes, expected, options, differs: true)
    check(text, values.mapValues { .some($0) }, values, options, differs: false)
  }

  private static func check(
    _ text: [UInt8], _ changes: [PropertyListKey: PropertyList?],
    _ expected: [PropertyListKey: PropertyList], _ options: PropertyList.ParsingOptions, differs: Bool
  ) {
    let checked = DictionaryText(checking: text, options: options)
    do throws(PropertyListError) {
      let edited = try EditedDictionary(
        changing: text, checked: checked, by: changes, options: options, style: .openStep)
      guard let edited else {
        // Without its last eight-bit byte that is no UTF-8, a text would be read as UTF-8.
        precondition(checked == nil, "a text in UTF-8 cannot be edited")
        return
      }
      let read = try PropertyList(parsing: edited.bytes, options: options)
      precondition(read == .dictionary(expected), "an edited text holds something else")
      precondition(differs || edited.bytes == text, "a text changes where nothing differs")
    } catch {
      preconditionFailure("an edited text is unreadable: \(error)")
    }
  }
}
