import DefaultsDatabase
import OpenStepPropertyList

/// What the files of `apply` ask for.
struct AppliedState {
  /// One request about a domain.
  enum Request {
    case set(KeyArgument, PropertyList)
    case delete(KeyArgument)
    /// The whole domain.
    case replace([PropertyListKey: PropertyList])
  }

  /// The requests by domain.
  private(set) var requests: [DomainName: [Request]] = [:]
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
    guard case .dictionary(let parts) = value else {
      throw error("is no dictionary with Set, Delete or Replace")
    }
    let known = ["Set", "Delete", "Replace"]
    for key in parts.keys.sorted() where !known.contains(key.text) {
      var failure = error("there is no “\(key)” beside Set, Delete and Replace")
      failure.hint = Suggestion.line(for: key.text, among: known)
      throw failure
    }
    for part in known {
      guard let domains = parts[PropertyListKey(part)] else { continue }
      guard case .dictionary(let domains) = domains else {
        throw error("“\(part)” is no dictionary of domains")
      }
      for (domainName, contents) in domains.sorted(by: { $0.key < $1.key }) {
        let domain = try DomainName(domainName.text, in: dialect)
        switch (part, contents) {
        case ("Set", .dictionary(let entries)):
          for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            try add(.set(KeyArgument(key.text, of: ApplyCommand.self), value), to: domain, from: name)
          }
        case ("Replace", .dictionary(let entries)):
          try add(.replace(entries), to: domain, from: name)
        case ("Delete", .array(let keys)):
          for key in keys {
            guard case .string(let key) = key else { throw error("a key of “Delete” is no string") }
            try add(.delete(KeyArgument(key, of: ApplyCommand.self)), to: domain, from: name)
          }
        default:
          let kind = part == "Delete" ? "no array of keys" : "no dictionary of keys and values"
          throw error("“\(part)” has for the domain “\(domain)” \(kind)")
        }
      }
    }
  }

  private mutating func add(_ request: Request, to domain: DomainName, from name: String) throws(CommandError)
  {
    let path = request.path
    for other in requests[domain] ?? [] where other.path.overlaps(path) {
      throw CommandError(
        .usage, "\(name): “\(KeyArgument.text(of: path))” of the domain “\(domain)” is asked for twice")
    }
    requests[domain, default: []].append(request)
  }

  /// A change that a request makes.
  struct Change {
    let path: PropertyListPath
    let old: PropertyList?
    let new: PropertyList?
  }

  /// A domain after a request, and the changes that it makes.
  ///
  /// - Throws: `PropertyListPathError` where a value has no place.
  static func applying(
    _ request: Request, to root: PropertyList?
  ) throws -> (PropertyList?, [Change]) {
    switch request {
    case .set(let key, let value):
      let old = try? root?.value(at: key.path)
      if old == value { return (root, []) }
      let new = try (root ?? [:]).changed(at: key.path) { _ in value }
      return (new, [Change(path: key.path, old: old, new: value)])
    case .delete(let key):
      guard let root, let old = try? root.value(at: key.path) else { return (root, []) }
      return (try root.removed(at: key.path), [Change(path: key.path, old: old, new: nil)])
    case .replace(let entries):
      var before: [PropertyListKey: PropertyList] = [:]
      if case .dictionary(let entries)? = root { before = entries }
      let changes = Set(before.keys).union(entries.keys).sorted().compactMap { key -> Change? in
        guard before[key] != entries[key] else { return nil }
        return Change(
          path: PropertyListPath([PropertyListPath.Step.key(key)]), old: before[key], new: entries[key])
      }
      return (entries.isEmpty && root == nil ? nil : .dictionary(entries), changes)
    }
  }
}

extension AppliedState.Request {
  /// The path to what is asked for; without steps for the whole domain.
  fileprivate var path: PropertyListPath {
    switch self {
    case .set(let key, _), .delete(let key): key.path
    case .replace: PropertyListPath([PropertyListPath.Step]())
    }
  }
}

extension PropertyListPath {
  /// Whether one of the two leads to the other's value, or into it.
  fileprivate func overlaps(_ other: PropertyListPath) -> Bool {
    zip(steps, other.steps).allSatisfy(==)
  }
}
