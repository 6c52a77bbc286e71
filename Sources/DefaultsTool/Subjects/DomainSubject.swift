import DefaultsDatabase
import DefaultsImport
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
  var octalEscapes: PropertyList.ParsingOptions.OctalEscapes { database.octalEscapes(of: domain) }

  func loaded() throws -> (value: PropertyList, byteCount: Int)? {
    do {
      return try database.valuesAndSize(of: domain).map { (.dictionary($0), $1) }
    } catch let error as DatabaseError {
      throw error.advisingRepair
    }
  }

  var absence: CommandError { database.absence(of: domain, style: style) }

  func change(
    rehearsing isRehearsal: Bool, _ change: @escaping (PropertyList?) throws -> PropertyList?
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try self.change(rehearsing: isRehearsal) { (old, _) in try change(old) }
  }

  /// Changes the property list by a closure that also receives which types the file can hold.
  func change(
    rehearsing isRehearsal: Bool,
    fitting change: @escaping (PropertyList?, FileCapacity) throws -> PropertyList?
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try commit(rehearsing: isRehearsal, onDamage: .refuse) { (contents, old) in
      .value(try change(old, contents.capacity))
    }
  }

  func rename(
    _ path: PropertyListPath, to key: PropertyListKey, replacing replaces: Bool, rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try commit(rehearsing: isRehearsal, onDamage: .refuse) { (contents, old) in
      guard let old else { throw absence }
      let new = try renamed(old, path, to: key, replacing: replaces)
      guard !isRehearsal, database.dialect == .openStep || database.isWindowMakers(domain),
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
  ///   - make: Receives the file's contents and its values.
  private func commit(
    rehearsing isRehearsal: Bool, onDamage: DamagePolicy,
    _ make: @escaping (DomainContents, PropertyList?) throws -> Result
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    try database.refuseUnread(domain)
    var states: (old: PropertyList?, new: PropertyList?) = (nil, nil)
    var held: HeldValue?
    func made(of contents: DomainContents) throws -> (Result, DomainChanges) {
      let old = contents.readableValue
      let result = try make(contents, old)
      // Bytes are put into the file as they are.
      let capacity = if case .bytes = result { FileCapacity.everything } else { contents.capacity }
      let new = try HeldValue(result.value, over: old, in: capacity)
      (states, held) = ((old, new.value), new)
      return (result, try changes(from: old, to: new.value))
    }
    if isRehearsal {
      let contents = try database.contents(of: domain)
      if let damage = contents.domain.damage { throw damage.advisingRepair }
      _ = try made(of: contents)
      try output.tellOfLostTypes(in: held, rehearsing: true)
      return states
    }
    var failure: (any Error)?
    var request = CommitRequest(to: domain) { contents throws(DatabaseError) in
      do {
        let (result, changes) = try made(of: contents)
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
    try output.tellOfLostTypes(in: held, rehearsing: false)
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
    return try commit(changes, rehearsing: isRehearsal) { _ in }
  }

  /// Replaces the whole domain; a damaged file is kept under another name.
  func replaceAll(
    with entries: [PropertyListKey: PropertyList], rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    var changes = DomainChanges()
    changes.replaceAll(with: entries)
    return try commit(changes, rehearsing: isRehearsal) { changes in
      try managed.check(changes, of: domain, over: try database.replacedValues(of: domain))
    }
  }

  /// Replaces the whole domain by what a closure makes of it and of which types the file can hold; a damaged file has
  /// no values, and is kept under another name.
  func replaceAll(_ make: @escaping (PropertyList?, FileCapacity) throws -> PropertyList?) throws {
    _ = try commit(rehearsing: false, onDamage: .moveAside) { (contents, old) in
      .value(try make(old, contents.capacity))
    }
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
    let (isPresent, values) = try database.valuesToReplace(of: domain, reportingTo: output)
    guard isPresent else { throw absence }
    return values.map { .dictionary($0) }
  }

  /// Refuses the removal of the domain if the administrator sets one of its keys.
  func checkRemoval() throws {
    var changes = DomainChanges()
    changes.replaceAll(with: [:])
    try managed.check(changes, of: domain, over: try database.replacedValues(of: domain))
  }

  /// Saves changes, of which none removes a single key, with the values as the domain's file can hold them.
  ///
  /// - Parameter check: Throws if the changes with these values may not be made.
  /// - Returns: in a rehearsal the domain before and after; otherwise nothing before, and what was set after.
  private func commit(
    _ asked: DomainChanges, rehearsing isRehearsal: Bool, checking check: (DomainChanges) throws -> Void
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    let capacity = try database.capacity(of: domain)
    let present = capacity == .everything ? [:] : try database.replacedValues(of: domain)
    let (changes, held) = try asked.held(over: present, in: capacity)
    try check(changes)
    try database.refuseUnread(domain)
    guard isRehearsal else {
      var request = CommitRequest(changes, to: domain)
      if changes.replacesAll { request.onDamage = .moveAside }
      let commit: Commit?
      do throws(DatabaseError) {
        commit = try database.commit(request, ifStill: capacity)
      } catch {
        throw error.advisingRepair
      }
      guard let commit else { return try self.commit(asked, rehearsing: isRehearsal, checking: check) }
      try output.reportMovedAside(commit, of: domain, in: database)
      try output.tellOfLostTypes(in: held, rehearsing: false)
      return (nil, .dictionary(changes.applied(to: [:])))
    }
    let old: PropertyList? =
      try changes.replacesAll
      ? database.valuesToReplace(of: domain, reportingTo: output).values.map { .dictionary($0) } : load()
    try output.tellOfLostTypes(in: held, rehearsing: true)
    var before: [PropertyListKey: PropertyList] = [:]
    if case .dictionary(let entries)? = old { before = entries }
    return (old, .dictionary(changes.applied(to: before)))
  }
}
