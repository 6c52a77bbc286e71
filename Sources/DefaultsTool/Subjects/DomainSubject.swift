import DefaultsDatabase
import OpenStepPropertyList

/// A domain of the database as what a verb reads or changes.
struct DomainSubject: Subject {
  let domain: DomainName
  let database: UserDatabase
  let style: OutputStyle
  private let managed: ManagedKeys
  private let output: CommandOutput

  init(_ domain: DomainName, in context: CommandContext) throws {
    self.domain = domain
    database = try context.openDatabase()
    managed = try context.managedKeys()
    output = context.output
    style = context.style
  }

  var name: String { domain.text }
  var column: String? { domain.text }

  func load() throws -> PropertyList? {
    try database.values(of: domain).map { .dictionary($0) }
  }

  var absence: CommandError { database.absence(of: domain, style: style) }

  func change(
    rehearsing isRehearsal: Bool, _ change: @escaping (PropertyList?) throws -> PropertyList?
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try commit(rehearsing: isRehearsal) { (_, old) in .value(try change(old)) }
  }

  func rename(
    _ path: PropertyListPath, to key: PropertyListKey, replacing replaces: Bool, rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try commit(rehearsing: isRehearsal) { (contents, old) in
      guard let old else { throw absence }
      let new = try renamed(old, path, to: key, replacing: replaces)
      guard let contents, database.dialect == .openStep || database.isWindowMakers(domain),
        let bytes = contents.bytes,
        let edited = try TextFile.renaming(
          path, to: key, replacing: replaces, in: bytes, old, contents.textOptions)
      else { return .value(new) }
      return .bytes(edited, new)
    }
  }

  func tellOfManagedKeys(_ keys: [PropertyListKey]?, in value: PropertyList) throws {
    guard case .dictionary(let entries) = value else { return }
    if let keys {
      try managed.tell(of: keys, in: domain)
    } else {
      try managed.tell(of: entries.keys, in: domain)
    }
  }

  // MARK: Saving

  private enum Result {
    case value(PropertyList?)
    case bytes([UInt8], PropertyList)

    var value: PropertyList? {
      switch self {
      case .value(let value): value
      case .bytes(_, let value): value
      }
    }
  }

  /// Saves what a closure makes of the domain's file.
  ///
  /// - Parameter make: Receives the file's contents, nil in a rehearsal, and its values.
  private func commit(
    rehearsing isRehearsal: Bool,
    _ make: @escaping (CommitRequest.FileContents?, PropertyList?) throws -> Result
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try database.refuseMenu(domain)
    if isRehearsal {
      let old = try load()
      let new = try make(nil, old).value
      _ = try changes(from: old, to: new)
      return (old, new)
    }
    var states: (old: PropertyList?, new: PropertyList?) = (nil, nil)
    var failure: (any Error)?
    let request = CommitRequest(to: domain) { contents throws(DatabaseError) in
      do {
        let old: PropertyList? =
          contents.domain.identity == nil ? nil : .dictionary(contents.domain.values)
        let result = try make(contents, old)
        states = (old, result.value)
        let changes = try changes(from: old, to: result.value)
        if case .bytes(let bytes, _) = result { return .bytes(bytes) }
        return .changes(changes)
      } catch {
        failure = error
        throw DatabaseError(.refused, path: domain.text, message: "is not changed")
      }
    }
    do throws(DatabaseError) {
      _ = try database.commit(request)
    } catch {
      throw failure ?? error
    }
    return states
  }

  /// The changes that lead from one value to the other, of which the administrator sets none.
  private func changes(from old: PropertyList?, to new: PropertyList?) throws -> DomainChanges {
    var before: [PropertyListKey: PropertyList] = [:]
    if case .dictionary(let entries)? = old { before = entries }
    var changes = DomainChanges()
    switch new {
    case .dictionary(let after)?:
      for key in Set(before.keys).union(after.keys).sorted() where before[key] != after[key] {
        try managed.check(key, in: domain)
        if let value = after[key] { changes.set(value, for: key) } else { changes.remove(key) }
      }
    case nil:
      changes.replaceAll(with: [:])
      try managed.check(changes, of: domain, over: before)
    case .some:
      throw CommandError(.refused, "a domain is a dictionary; nothing was changed")
    }
    return changes
  }
}

extension String {
  /// The text without the extension of property lists; nil if it has none.
  var withoutListExtension: String? {
    hasSuffix(".plist") && utf8.count > 6 ? String(dropLast(6)) : nil
  }
}

// MARK: - Changes that need no value of the domain

extension DomainSubject {
  /// Sets the value of a key of the domain's own dictionary; the other keys' values are not even parsed.
  func set(
    _ value: PropertyList, for key: PropertyListKey, rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try managed.check(key, in: domain)
    var changes = DomainChanges()
    changes.set(value, for: key)
    return try commit(changes, rehearsing: isRehearsal)
  }

  /// Replaces the whole domain.
  func replaceAll(
    with entries: [PropertyListKey: PropertyList], rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    var changes = DomainChanges()
    changes.replaceAll(with: entries)
    try managed.check(changes, of: domain, over: try database.replacedValues(of: domain))
    return try commit(changes, rehearsing: isRehearsal)
  }

  /// Removes the domain's file; false if there is none.
  func remove() throws -> Bool {
    var changes = DomainChanges()
    changes.replaceAll(with: [:])
    try managed.check(changes, of: domain, over: try database.replacedValues(of: domain))
    return try database.remove(domain)
  }

  /// Saves changes.
  ///
  /// - Returns: in a rehearsal the domain before and after; otherwise nothing before, and what was set after.
  private func commit(
    _ changes: DomainChanges, rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try database.refuseMenu(domain)
    guard isRehearsal else {
      _ = try database.commit(CommitRequest(changes, to: domain))
      return (nil, .dictionary(changes.applied(to: [:])))
    }
    let old = try database.values(of: domain)
    return (old.map { .dictionary($0) }, .dictionary(changes.applied(to: old ?? [:])))
  }
}
