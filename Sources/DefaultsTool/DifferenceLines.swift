import OpenStepPropertyList

/// Differences as lines: `-Count '5 /*integer*/'`, `+.Window.x 12`, `+.Recent[+] c.txt`.
///
/// They are given one by one, and never collected: those of a deep file take thousands of times as much as the file.
enum DifferenceLines {
  /// Gives the lines of the differences between two property lists, in the order of their keys; none if they are equal.
  ///
  /// - Parameters:
  ///   - domain: The domain's name, which stands before each key; nil for two columns.
  ///   - isEscaped: Whether a character must be escaped.
  static func forEach(
    from old: PropertyList?, to new: PropertyList?, domain: String? = nil,
    escaping isEscaped: (Unicode.Scalar) -> Bool, _ body: (String) throws -> Void
  ) throws {
    let start = try domain.map { "\(try DefaultLine.token(ofName: $0, escaping: isEscaped)) " } ?? ""
    func line(_ mark: String, _ key: String, _ value: PropertyList) throws {
      try body(mark + start + DefaultLine.text(key: key, value: value, escaping: isEscaped))
    }
    try forEachDifference(from: old, to: new) { difference in
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
        let key = place.description
        for element in elements { try line("+", key, element) }
      }
    }
  }
}

extension DifferenceLines {
  /// Whether two property lists have no difference; one that is absent is like an empty dictionary.
  static func areEqual(_ old: PropertyList?, _ new: PropertyList?) -> Bool {
    (old ?? new.flatMap(\.emptyDictionary)) == (new ?? old.flatMap(\.emptyDictionary))
  }

  /// Calls a body with each difference; a domain that is made or removed has one for each key.
  private static func forEachDifference(
    from old: PropertyList?, to new: PropertyList?, _ body: (PropertyListDifference) throws -> Void
  ) rethrows {
    try PropertyListDifference.forEach(
      between: old ?? new.flatMap(\.emptyDictionary), and: new ?? old.flatMap(\.emptyDictionary), body)
  }
}

// MARK: - Other forms

extension DifferenceLines {
  /// Gives the commands that make one property list into the other.
  ///
  /// - Parameter commands: The commands about the first one.
  static func forEachCommand(
    from old: PropertyList?, to new: PropertyList?, _ commands: CommandText,
    _ body: (String) throws -> Void
  ) throws {
    if areEqual(old, new) { return }
    if old != nil, new == nil { return try body(commands.deletion) }
    try PropertyListDifference.forEach(between: old ?? new.flatMap(\.emptyDictionary), and: new) {
      difference in
      let path = PropertyListPath(difference.path)
      switch difference.change {
      case .removed: try body(commands.deletion(of: path))
      case .added(let value), .replaced(_, let value): try body(commands.writing(value, at: path))
      case .appended(let elements): try body(commands.appending(elements, at: path))
      }
    }
  }

  /// Gives the differences as objects of JSON, with tagged values.
  static func forEachObject(
    from old: PropertyList?, to new: PropertyList?, domain: String?, _ body: (String) throws -> Void
  ) rethrows {
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
    try forEachDifference(from: old, to: new) { difference in
      let path = PropertyListPath(difference.path)
      switch difference.change {
      case .removed(let value): try body(object(path, from: value, to: nil))
      case .added(let value): try body(object(path, from: nil, to: value))
      case .replaced(let old, let new): try body(object(path, from: old, to: new))
      case .appended(let elements):
        let place = PropertyListPath(path.steps + [.insertion(before: nil)])
        for element in elements { try body(object(place, from: nil, to: element)) }
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
    try whileRead { check in
      try DifferenceLines.forEach(from: old, to: new, domain: domain, escaping: escapes) { line in
        try print(line)
        try check()
      }
    }
  }
}
