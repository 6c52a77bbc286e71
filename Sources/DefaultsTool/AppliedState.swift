import DefaultsDatabase
import OpenStepPropertyList

/// What the files of `apply` ask for.
struct AppliedState {
  /// One request about a domain.
  enum Request {
    case set(PropertyListPath, PropertyList)
    case delete(PropertyListPath)
    /// The whole domain.
    case replace([PropertyListKey: PropertyList])
  }

  /// What a file looks like.
  private static let shape = "{ Set = { DOMAIN = { key = value; }; }; Delete = { DOMAIN = (key); }; }"

  /// A key as it is written in a text.
  private static func word(_ key: PropertyListKey) -> String {
    (try? PropertyList.string(key.text).text(style: .oneLine)) ?? key.text
  }

  /// The requests by domain.
  private(set) var requests: [DomainName: [Request]] = [:]
  private var places: [DomainName: RequestedPlaces] = [:]
  private let dialect: DatabaseDialect

  init(in dialect: DatabaseDialect) {
    self.dialect = dialect
  }

  /// Adds the requests of a file.
  ///
  /// - Parameter name: The file's name in messages.
  /// - Throws: a usage error for what is none, and for two requests about one value.
  mutating func add(_ value: PropertyList, from name: String) throws {
    func error(_ message: String) -> CommandError { CommandError(.usage, "\(name): \(message)") }
    func error(_ message: String, shape: String) -> CommandError {
      var failure = error(message)
      failure.hint = "the shape is \(shape)"
      return failure
    }
    guard case .dictionary(let parts) = value else {
      throw error("is no dictionary with Set, Delete or Replace", shape: AppliedState.shape)
    }
    let known = ["Set", "Delete", "Replace"]
    for key in parts.keys.sorted() where !known.contains(where: { PropertyListKey($0) == key }) {
      let shape: String =
        switch parts[key] {
        case .dictionary?: "{ Set = { \(AppliedState.word(key)) = { key = value; }; }; }"
        default: "{ Set = { DOMAIN = { \(AppliedState.word(key)) = value; }; }; }"
        }
      var failure = error("there is no “\(key)” beside Set, Delete and Replace", shape: shape)
      if let suggestion = Suggestion.line(for: key.text, among: known) { failure.hint = suggestion }
      throw failure
    }
    /// The path of a key, which leads to the same value each time.
    func place(_ key: String) throws(CommandError) -> PropertyListPath {
      let path = try KeyArgument(key, of: ApplyCommand.self).path
      if path.steps.isEmpty {
        throw error("“.” is the whole domain, which “Replace” sets")
      }
      if case .index? = path.steps.first {
        throw error("“\(key)” begins with an element, and a domain is a dictionary, which has keys")
      }
      let isAddition = path.steps.contains { step in
        if case .insertion = step { true } else { false }
      }
      if isAddition {
        throw error("“\(key)” would add an element each time; “Set” gives the array its elements")
      }
      return path
    }
    func add(_ request: Request, to domain: DomainName) throws(CommandError) {
      if let reason = places[domain, default: RequestedPlaces()].add(request.path) {
        throw error("“\(KeyArgument.text(of: request.path))” of the domain “\(domain)” \(reason)")
      }
      requests[domain, default: []].append(request)
    }
    for part in known {
      guard let domains = parts[PropertyListKey(part)] else { continue }
      guard case .dictionary(let domains) = domains else {
        throw error("“\(part)” is no dictionary of domains", shape: AppliedState.shape)
      }
      for (domainName, contents) in domains.sorted(by: { $0.key < $1.key }) {
        let domain = try DomainOperand.domain(named: domainName.text, in: dialect)
        switch (part, contents) {
        case ("Set", .dictionary(let entries)):
          for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            try add(.set(place(key.text), value), to: domain)
          }
        case ("Replace", .dictionary(let entries)):
          try add(.replace(entries), to: domain)
        case ("Delete", .array(let keys)):
          for key in keys {
            guard case .string(let key) = key else { throw error("a key of “Delete” is no string") }
            let path = try place(key)
            if case .index? = path.steps.last {
              throw error(
                "“Delete” has “\(key)”, an element; the elements behind it would move up each time. "
                  + "“Set” gives the array its elements")
            }
            try add(.delete(path), to: domain)
          }
        default:
          let isDeletion = part == "Delete"
          let kind = isDeletion ? "no array of keys" : "no dictionary of keys and values"
          let word = AppliedState.word(domainName)
          let inner = isDeletion ? "(\(word))" : "{ \(word) = value; }"
          throw error(
            "“\(part)” has for the domain “\(domain)” \(kind)",
            shape: "{ \(part) = { \(word) = \(isDeletion ? "(key)" : "{ key = value; }"); }; }, "
              + "and for a key of that name { \(part) = { DOMAIN = \(inner); }; }")
        }
      }
    }
  }

  /// A change that a request makes.
  struct Change {
    let path: PropertyListPath
    let old: PropertyList?
    let new: PropertyList?
  }

  /// Carries out a request in a domain.
  ///
  /// - Parameters:
  ///   - root: The domain's values; nil for no domain.
  ///   - held: Gives a value as the domain's file holds it, with which the present one is compared.
  ///   - check: Throws if the value of a key may not be changed.
  /// - Returns: the changes that were made, and what the check has thrown of others.
  /// - Throws: `PropertyListPathError` where a value has no place; the domain is as it was then.
  static func carryOut(
    _ request: Request, in root: inout PropertyList?, holding held: (PropertyList) throws -> PropertyList,
    checking check: (PropertyListKey) throws -> Void
  ) throws -> ([Change], [any Error]) {
    switch request {
    case .set(let path, let value):
      let old = try? root?.value(at: path)
      let new = try held(value)
      if old == value || old == new { return ([], []) }
      if case .key(let key)? = path.steps.first { try check(key) }
      if root == nil {
        root = try PropertyList.dictionary([:]).changed(at: path) { _ in value }
      } else {
        try root?.change(at: path) { _ in value }
      }
      return ([Change(path: path, old: old, new: new)], [])
    case .delete(let path):
      guard let old = try root?.presentValue(at: path) else { return ([], []) }
      if case .key(let key)? = path.steps.first { try check(key) }
      try root?.remove(at: path)
      return ([Change(path: path, old: old, new: nil)], [])
    case .replace(let entries):
      var before: [PropertyListKey: PropertyList] = [:]
      if case .dictionary(let entries)? = root { before = entries }
      var (after, changes, refusals) = (before, [Change](), [any Error]())
      for key in Set(before.keys).union(entries.keys).sorted() where before[key] != entries[key] {
        let new = try entries[key].map(held)
        if new == before[key] { continue }
        do {
          try check(key)
          after[key] = entries[key]
          changes.append(Change(path: PropertyListPath([.key(key)]), old: before[key], new: new))
        } catch {
          refusals.append(error)
        }
      }
      if !changes.isEmpty { root = .dictionary(after) }
      return (changes, refusals)
    }
  }
}

extension PropertyList {
  /// The value at a path; nil if it is absent.
  ///
  /// - Throws: `PropertyListPathError` if the path leads through a value that has no such steps: then the request was
  ///   meant for another domain, or the domain holds something else than its author believes.
  fileprivate func presentValue(at path: PropertyListPath) throws(PropertyListPathError) -> PropertyList? {
    do throws(PropertyListPathError) {
      return try value(at: path)
    } catch {
      if error.kind == .absent { return nil }
      throw error
    }
  }
}

/// The places of a domain that requests are about.
private struct RequestedPlaces {
  /// What is known of a node of the tree of paths.
  private struct Place {
    var isRequested = false
    /// Whether ways to other places lead through it.
    var isContainer = false
    /// Whether the elements of an array are counted from its end; nil if none is asked for.
    var countsFromEnd: Bool?
  }

  private var tree = StepTree<PropertyListPath.Step>()
  /// By the number of the node.
  private var places = [Place()]

  /// Adds a place; gives the reason why it cannot stand beside the others, nil for none.
  ///
  /// - Complexity: linear in the number of steps.
  mutating func add(_ path: PropertyListPath) -> String? {
    var node = StepTree<PropertyListPath.Step>.root
    for step in path.steps {
      if places[node].isRequested { return "is asked for twice" }
      places[node].isContainer = true
      if case .index(let index) = step {
        // An array's length tells which of [0] and [-1] are one element, and it may change.
        guard places[node].countsFromEnd ?? (index < 0) == (index < 0) else {
          return "counts the elements of an array from the other end than another path; they may be the same"
        }
        places[node].countsFromEnd = index < 0
      }
      node = tree.add(step, to: node)
      if node == places.count { places.append(Place()) }
    }
    if places[node].isRequested || places[node].isContainer { return "is asked for twice" }
    places[node].isRequested = true
    return nil
  }
}

extension AppliedState.Request {
  /// Whether the whole domain is asked for, so that none of its present values counts.
  var replacesAll: Bool {
    if case .replace = self { true } else { false }
  }

  /// The path to what is asked for; without steps for the whole domain.
  fileprivate var path: PropertyListPath {
    switch self {
    case .set(let path, _), .delete(let path): path
    case .replace: PropertyListPath([PropertyListPath.Step]())
    }
  }
}
