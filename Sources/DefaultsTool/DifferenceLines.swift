import OpenStepPropertyList

/// Differences as lines: `-Count '5 /*integer*/'`, `+.Window.x 12`, `+.Recent[+] c.txt`.
enum DifferenceLines {
  /// The lines of the differences between two property lists, in the order of their keys.
  ///
  /// - Parameters:
  ///   - domain: The domain's name, which stands before each key; nil for two columns.
  ///   - isEscaped: Whether a character must be escaped.
  /// - Returns: no line if they are equal.
  static func lines(
    from old: PropertyList?, to new: PropertyList?, domain: String? = nil,
    escaping isEscaped: (Unicode.Scalar) -> Bool
  ) throws(PropertyListError) -> [String] {
    var lines: [String] = []
    func line(_ mark: String, _ key: String, _ value: PropertyList) throws(PropertyListError) {
      let text = try DefaultLine.text(key: key, value: value, escaping: isEscaped)
      guard let domain else { return lines.append(mark + text) }
      lines.append("\(mark)\(try DefaultLine.token(ofName: domain, escaping: isEscaped)) \(text)")
    }
    for difference in differences(from: old, to: new) {
      let path = PropertyListPath(difference.path)
      let key = KeyArgument.text(of: path)
      switch difference.change {
      case .added(let value): try line("+", key, value)
      case .removed(let value): try line("-", key, value)
      case .replaced(let old, let new):
        try line("-", key, old)
        try line("+", key, new)
      case .appended(let elements):
        let place = PropertyListPath(path.steps + [.insertion(before: nil)])
        for element in elements { try line("+", place.description, element) }
      }
    }
    return lines
  }
}

extension DifferenceLines {
  /// Whether two property lists have no difference; one that is absent is like an empty dictionary.
  static func areEqual(_ old: PropertyList?, _ new: PropertyList?) -> Bool {
    (old ?? new.flatMap(\.emptyDictionary)) == (new ?? old.flatMap(\.emptyDictionary))
  }

  /// The differences; a domain that is made or removed has one for each key.
  private static func differences(from old: PropertyList?, to new: PropertyList?) -> [PropertyListDifference]
  {
    PropertyListDifference.between(
      old ?? new.flatMap(\.emptyDictionary), new ?? old.flatMap(\.emptyDictionary))
  }
}

// MARK: - Other forms

extension DifferenceLines {
  /// The commands that make one property list into the other.
  ///
  /// - Parameter commands: The commands about the first one.
  static func commands(
    from old: PropertyList?, to new: PropertyList?, _ commands: CommandText
  ) throws(PropertyListError) -> [String] {
    if areEqual(old, new) { return [] }
    if old != nil, new == nil { return [commands.deletion] }
    var lines: [String] = []
    for difference in PropertyListDifference.between(old ?? new.flatMap(\.emptyDictionary), new) {
      let path = PropertyListPath(difference.path)
      switch difference.change {
      case .removed: lines.append(commands.deletion(of: path))
      case .added(let value), .replaced(_, let value): lines.append(try commands.writing(value, at: path))
      case .appended(let elements): lines.append(try commands.appending(elements, at: path))
      }
    }
    return lines
  }

  /// The differences as objects of JSON, with tagged values.
  static func objects(from old: PropertyList?, to new: PropertyList?, domain: String?) -> [String] {
    func object(
      _ path: PropertyListPath, from old: PropertyList?, to new: PropertyList?
    ) -> String {
      var members: [String] = []
      if let domain { members.append("\"domain\":\(TaggedText.quoted(domain))") }
      members.append("\"path\":\(TaggedText.quoted(path.description))")
      if let old { members.append("\"from\":\(TaggedText.object(of: old))") }
      if let new { members.append("\"to\":\(TaggedText.object(of: new))") }
      return "{\(members.joined(separator: ","))}"
    }
    return differences(from: old, to: new).flatMap { difference in
      let path = PropertyListPath(difference.path)
      switch difference.change {
      case .removed(let value): return [object(path, from: value, to: nil)]
      case .added(let value): return [object(path, from: nil, to: value)]
      case .replaced(let old, let new): return [object(path, from: old, to: new)]
      case .appended(let elements):
        let place = PropertyListPath(path.steps + [.insertion(before: nil)])
        return elements.map { object(place, from: nil, to: $0) }
      }
    }
  }
}

extension PropertyList {
  /// An empty dictionary for a dictionary; nil for another value.
  fileprivate var emptyDictionary: PropertyList? {
    if case .dictionary = self { [:] } else { nil }
  }
}

extension CommandOutput {
  /// Prints the lines of the differences between two property lists.
  func printDifferences(from old: PropertyList?, to new: PropertyList?, domain: String?) throws {
    for line in try DifferenceLines.lines(from: old, to: new, domain: domain, escaping: escapes) {
      try print(line)
    }
  }
}
