import DefaultsDatabase
import OpenStepPropertyList

/// A domain of the database as what a verb reads or changes.
struct DomainSubject: Subject {
  let domain: DomainName
  let database: UserDatabase
  private let managed: ManagedKeys
  private let output: CommandOutput

  init(_ domain: DomainName, in context: CommandContext) throws {
    self.domain = domain
    database = try context.openDatabase()
    managed = try context.managedKeys()
    output = context.output
  }

  var name: String { domain.text }
  var column: String? { domain.text }
  var octalEscapes: PropertyList.ParsingOptions.OctalEscapes { database.octalEscapes(of: domain) }

  func load() throws -> PropertyList? {
    do {
      return try database.values(of: domain).map { .dictionary($0) }
    } catch let error as DatabaseError {
      throw error.advisingRepair
    }
  }

  var absence: CommandError {
    var error = CommandError.absence(of: domain)
    if let stem = domain.text.withoutListExtension {
      error.hint = "did you mean “./\(domain)”, or the domain “\(stem)”?"
    } else if let names = try? database.domainNames() {
      error.hint = Suggestion.line(for: domain.text, among: names.lazy.map(\.text))
    }
    return error
  }

  func change(
    rehearsing isRehearsal: Bool, _ change: @escaping (PropertyList?) throws -> PropertyList?
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try commit(rehearsing: isRehearsal, onDamage: .refuse) { (_, old) in .value(try change(old)) }
  }

  func rename(
    _ path: PropertyListPath, to key: PropertyListKey, replacing replaces: Bool, rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try commit(rehearsing: isRehearsal, onDamage: .refuse) { (contents, old) in
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
  /// - Parameters:
  ///   - onDamage: What becomes of a damaged file, which has no values then.
  ///   - make: Receives the file's contents, nil in a rehearsal, and its values.
  private func commit(
    rehearsing isRehearsal: Bool, onDamage: DamagePolicy,
    _ make: @escaping (CommitRequest.FileContents?, PropertyList?) throws -> Result
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    if isRehearsal {
      let old = try onDamage == .refuse ? load() : valuesToReplace()
      let new = try make(nil, old).value
      _ = try changes(from: old, to: new)
      return (old, new)
    }
    var states: (old: PropertyList?, new: PropertyList?) = (nil, nil)
    var failure: (any Error)?
    var request = CommitRequest(to: domain) { contents throws(DatabaseError) in
      do {
        let isReadable = contents.domain.identity != nil && !contents.domain.isDamaged
        let old: PropertyList? = isReadable ? .dictionary(contents.domain.values) : nil
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
    request.onDamage = onDamage
    let commit: Commit
    do throws(DatabaseError) {
      commit = try database.commit(request)
    } catch {
      throw failure ?? error.advisingRepair
    }
    try output.reportMovedAside(commit, of: domain, in: database)
    return states
  }

  /// What a replacement of the whole domain would replace; nil for no file, and for a damaged one, which is reported.
  private func valuesToReplace() throws -> PropertyList? {
    let loaded = try database.load(domain)
    if let damage = loaded.damage { try output.reportDamage(toReplace: damage) }
    return loaded.identity == nil || loaded.isDamaged ? nil : .dictionary(loaded.values)
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

  /// Replaces the whole domain; a damaged file is kept under another name.
  func replaceAll(
    with entries: [PropertyListKey: PropertyList], rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    var changes = DomainChanges()
    changes.replaceAll(with: entries)
    try managed.check(changes, of: domain, over: try database.replacedValues(of: domain))
    return try commit(changes, rehearsing: isRehearsal)
  }

  /// Replaces the whole domain by what a closure makes of it; a damaged file has no values, and is kept under another
  /// name.
  func replaceAll(_ make: @escaping (PropertyList?) throws -> PropertyList?) throws {
    _ = try commit(rehearsing: false, onDamage: .moveAside) { (_, old) in .value(try make(old)) }
  }

  /// Removes the domain's file; a damaged one is kept under another name.
  ///
  /// - Returns: in a rehearsal what the domain holds; otherwise nothing.
  /// - Throws: ``absence`` if there is no file.
  func remove(rehearsing isRehearsal: Bool) throws -> PropertyList? {
    try checkRemoval()
    guard isRehearsal else {
      guard let commit = try database.remove(domain, onDamage: .moveAside) else { throw absence }
      try output.reportMovedAside(commit, of: domain, in: database)
      return nil
    }
    guard try database.load(domain).identity != nil else { throw absence }
    return try valuesToReplace()
  }

  /// Refuses the removal of the domain if the administrator sets one of its keys.
  func checkRemoval() throws {
    var changes = DomainChanges()
    changes.replaceAll(with: [:])
    try managed.check(changes, of: domain, over: try database.replacedValues(of: domain))
  }

  /// Saves changes.
  ///
  /// - Returns: in a rehearsal the domain before and after; otherwise nothing before, and what was set after.
  private func commit(
    _ changes: DomainChanges, rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    guard isRehearsal else {
      var request = CommitRequest(changes, to: domain)
      if changes.replacesAll { request.onDamage = .moveAside }
      let commit: Commit
      do throws(DatabaseError) {
        commit = try database.commit(request)
      } catch {
        throw error.advisingRepair
      }
      try output.reportMovedAside(commit, of: domain, in: database)
      return (nil, .dictionary(changes.applied(to: [:])))
    }
    let old = try changes.replacesAll ? valuesToReplace() : load()
    var before: [PropertyListKey: PropertyList] = [:]
    if case .dictionary(let entries)? = old { before = entries }
    return (old, .dictionary(changes.applied(to: before)))
  }
}
