import DefaultsDatabase
import OpenStepPropertyList

/// The last known state of the watched domains.
struct WatchedState {
  /// The domain to look at; nil for all.
  let domain: DomainName?
  /// The key to look at; nil for all.
  let key: PropertyListKey?
  private var domains: [DomainName: WatchedDomain] = [:]
  /// The identities of the files that are damaged or whose values do not fit, which are read again only when they have
  /// changed.
  private var unfollowed: [DomainName: FileIdentity] = [:]
  /// How many bytes all domains take, and may take.
  private var byteCount = 0
  private let maximumByteCount: Int
  /// The problem of each domain that was reported and still exists.
  private var problems: [DomainName: CommandError] = [:]
  /// The problem of the list of domains that was reported and still exists.
  private var problem: CommandError?
  /// Whether a part of the last look has failed and may succeed a moment later, though no file changes.
  private(set) var isToBeTriedAgain = false
  /// The path of the value to look at, which begins with the key.
  private let path: PropertyListPath?
  private let context: CommandContext
  private var output: CommandOutput { context.output }

  init(
    domain: DomainName? = nil, key: PropertyListKey? = nil, path: PropertyListPath? = nil,
    upTo maximumByteCount: Int = 256 << 20, in context: CommandContext
  ) {
    self.domain = domain
    self.key = key
    self.path = path
    self.maximumByteCount = maximumByteCount
    self.context = context
  }

  /// Reads some domains again, or all for nil, and reports each changed one: its changed keys, and the
  /// commands that repeat the changes.
  ///
  /// - Parameter tell: Receives them; nil for a first look, after which they are known.
  mutating func look(
    at database: UserDatabase, _ changed: Set<DomainName>?,
    telling tell: ((DomainName, Set<PropertyListKey>, [String]) throws -> Void)?
  ) throws {
    isToBeTriedAgain = false
    var names = changed ?? Set(domains.keys)
    if let domain {
      guard names.contains(domain) || changed == nil else { return }
      names = [domain]
    } else if changed == nil {
      do throws(DatabaseError) {
        names.formUnion(try database.domainNames())
        // Of files that are gone nothing is kept.
        names.formUnion(problems.keys)
        names.formUnion(unfollowed.keys)
        problem = nil
      } catch {
        isToBeTriedAgain = error.isPassing
        let error = CommandError(error)
        if problem?.message != error.message { try output.report(error) }
        problem = error
        return
      }
    }
    for name in names.sorted() {
      let old = domains[name] ?? WatchedDomain()
      let (new, values): (WatchedDomain, [PropertyListKey: PropertyList])
      do {
        guard let loaded = try database.load(name, unlessStill: unfollowed[name] ?? old.identity) else {
          // It is the version again that was compared last, which may be none.
          if unfollowed[name] == nil { problems[name] = nil }
          continue
        }
        if let damage = loaded.damage {
          unfollowed[name] = loaded.identity
          throw damage
        }
        (new, values) = WatchedDomain.make(of: loaded, key)
        unfollowed[name] = nil
        if byteCount - old.byteCount + new.byteCount > maximumByteCount {
          unfollowed[name] = new.identity
          throw CommandError(
            .refused,
            "\(database.path(of: name)): its values do not fit into the \(maximumByteCount >> 20) MB that are kept "
              + "of all domains; its changes are not shown while that is so")
        }
      } catch {
        if let error = error as? DatabaseError, error.isPassing { isToBeTriedAgain = true }
        let error = CommandError(error)
        if problems.updateValue(error, forKey: name)?.message != error.message { try output.report(error) }
        continue
      }
      problems[name] = nil
      domains[name] = new.identity == nil ? nil : new
      byteCount += new.byteCount - old.byteCount
      guard let tell else { continue }
      let formerValues = old.values
      let keys = changedKeys(from: formerValues, to: values)
      let isRemoved = old.identity != nil && new.identity == nil
      try tell(
        name, keys, try lines(for: keys, from: formerValues, to: values, of: name, isRemoved: isRemoved))
    }
  }

  private func changedKeys(
    from old: [PropertyListKey: PropertyList], to new: [PropertyListKey: PropertyList]
  ) -> Set<PropertyListKey> {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
  }

  private func lines(
    for keys: Set<PropertyListKey>, from old: [PropertyListKey: PropertyList],
    to new: [PropertyListKey: PropertyList], of name: DomainName, isRemoved: Bool
  ) throws -> [String] {
    let command = try context.commands(about: name)
    if isRemoved, key == nil { return [command.deletion] }
    return try keys.sorted().flatMap { key in
      if let path, path.steps.count > 1 { return try lines(at: path, from: old, to: new, command) }
      let place = PropertyListPath([PropertyListPath.Step.key(key)])
      return [try new[key].map { try command.writing($0, at: place) } ?? command.deletion(of: place)]
    }
  }

  /// The commands that repeat the change of a value inside another; none if that one is the same.
  private func lines(
    at path: PropertyListPath, from old: [PropertyListKey: PropertyList],
    to new: [PropertyListKey: PropertyList], _ command: CommandText
  ) throws -> [String] {
    let before = try? PropertyList.dictionary(old).value(at: path)
    let after = try? PropertyList.dictionary(new).value(at: path)
    guard before != after else { return [] }
    let keys = dictionaryKeys(of: path, in: [old, new])
    guard keys.count < path.steps.count else {
      return [try after.map { try command.writing($0, at: path) } ?? command.deletion(of: path)]
    }
    // Where an element stands depends on the others, and a value that is no dictionary has no keys.
    let steps = keys.map { PropertyListPath.Step.key($0) }
    let (old, new) = (part(of: old, at: steps), part(of: new, at: steps))
    var lines: [String] = []
    try DifferenceLines.forEachCommand(from: old, to: new, command) { lines.append($0) }
    return lines
  }

  /// The keys at the beginning of a path, up to the first value that is no dictionary in one of the roots.
  private func dictionaryKeys(
    of path: PropertyListPath, in roots: [[PropertyListKey: PropertyList]]
  ) -> [PropertyListKey] {
    var values = roots.map { PropertyList?.some(.dictionary($0)) }
    var keys: [PropertyListKey] = []
    for step in path.steps {
      guard case .key(let key) = step, values.allSatisfy({ $0.map(\.isDictionary) ?? true }) else { break }
      keys.append(key)
      values = values.map { value in
        if case .dictionary(let entries)? = value { entries[key] } else { nil }
      }
    }
    return keys
  }

  /// The dictionaries that lead to a value, with that value alone.
  private func part(
    of root: [PropertyListKey: PropertyList], at steps: [PropertyListPath.Step]
  ) -> PropertyList {
    var part = try? PropertyList.dictionary(root).value(at: PropertyListPath(steps))
    for case .key(let key) in steps.reversed() { part = .dictionary(part.map { [key: $0] } ?? [:]) }
    return part ?? [:]
  }
}

extension PropertyList {
  fileprivate var isDictionary: Bool {
    if case .dictionary = self { true } else { false }
  }
}
