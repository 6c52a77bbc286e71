package import DefaultsDatabase
import OpenStepPropertyList

/// Imports domains of an old store into a database, each with one commit.
package struct DomainImport {
  /// The action for a domain that the database has already.
  package enum Policy: Hashable, Sendable {
    /// It stays as it is; the import of the domain is refused unless the values are equal.
    case keep
    /// The store's values replace those of the same keys, and other keys stay.
    case merge
    /// The store's values replace all; a domain without keys is skipped, unless the user named it.
    case replace
  }

  /// What was done, or would be done.
  package enum Effect: Hashable, Sendable {
    case nothing, made, merged, replaced
    /// The old file was moved aside, since it is damaged; the notice that tells of it.
    case movedAside(notice: String)
  }

  private let database: UserDatabase
  private let policy: Policy
  /// Whether nothing may be written.
  private let isRehearsal: Bool

  package init(into database: UserDatabase, policy: Policy, isRehearsal: Bool = false) {
    self.database = database
    self.policy = policy
    self.isRehearsal = isRehearsal
  }

  /// Imports a domain, and returns when it is on stable storage.
  ///
  /// - Parameter deadline: When to stop waiting for another process.
  /// - Throws: also if the database has other values in the domain and has to keep them.
  package func carry(
    _ domain: ImportedDomain, deadline: MonotonicTime = .now + UserDatabase.patience
  ) throws(DatabaseError) -> Effect {
    let capacity = try database.capacity(of: domain.name)
    let asked = domain
    let domain = try held(domain, in: capacity)
    let isEmpty = domain.values.isEmpty
    if isEmpty, !domain.isNamed { return .nothing }
    var effect = Effect.nothing
    if isRehearsal || (isEmpty && policy != .replace) {
      let loaded = try database.load(domain.name)
      if let damage = loaded.damage, policy != .replace { throw advising(damage, about: domain) }
      return try self.effect(of: domain, on: loaded)
    }
    var changes = DomainChanges()
    if policy == .replace {
      changes.replaceAll(with: domain.values)
    } else {
      for (key, value) in domain.values { changes.set(value, for: key) }
    }
    var request = CommitRequest(changes, to: domain.name)
    request.deadline = deadline
    if policy == .replace { request.onDamage = .moveAside }
    request.check = { (old) throws(DatabaseError) in effect = try self.effect(of: domain, on: old) }
    do throws(DatabaseError) {
      guard let commit = try database.commit(request, ifStill: capacity) else {
        return try carry(asked, deadline: deadline)
      }
      if let notice = commit.notice { return .movedAside(notice: notice) }
    } catch {
      throw advising(error, about: domain)
    }
    return effect
  }

  /// The domain with the values as the database's file can hold them, so that they are equal to what is stored.
  private func held(
    _ domain: ImportedDomain, in capacity: FileCapacity
  ) throws(DatabaseError) -> ImportedDomain {
    do throws(PropertyListError) {
      guard case .dictionary(let values) = try capacity.held(.dictionary(domain.values)) else {
        return domain
      }
      return ImportedDomain(
        name: domain.name, values: values, kind: domain.kind, path: domain.path, isNamed: domain.isNamed)
    } catch {
      throw DatabaseError(
        .refused, path: database.path(of: domain.name), message: "cannot be saved: \(error)",
        advice: "nothing was changed")
    }
  }

  /// The same error; of a domain's damaged file, with what helps.
  private func advising(_ error: DatabaseError, about domain: ImportedDomain) -> DatabaseError {
    guard error.kind == .damaged else { return error }
    return error.with(
      advice:
        "its bytes are unchanged: “-replace” puts \(domain.path) in its place, and keeps the damaged file")
  }

  /// The keys whose values the database's own programs will not see exactly, with the reason.
  package func remarks(on domain: ImportedDomain) -> [ImportRemark] {
    let isWindowMakers = OpenStepFormat.isWindowMakerFile(
      PathNames.last(in: database.path(of: domain.name)))
    guard isWindowMakers || database.dialect == .gnustep else { return [] }
    return domain.values.sorted(by: { $0.key < $1.key }).compactMap { key, value in
      let reason =
        isWindowMakers
        ? value.holdsTypedScalar
          ? "has a number, a truth value or a date, for which Window Maker's files have a string" : nil
        : GNUstepCapacity.reason(against: [key: value])
      return reason.map { ImportRemark(.loss, path: domain.path, key: key, of: domain.name.text, $0) }
    }
  }

  private func effect(
    of domain: ImportedDomain, on present: LoadedDomain
  ) throws(DatabaseError) -> Effect {
    if present.isDamaged {
      return .movedAside(notice: "is damaged; the damaged file would be kept under another name")
    }
    let values = present.values
    switch policy {
    case _ where values == domain.values:
      return .nothing
    case _ where values.isEmpty:
      return .made
    case .replace:
      return .replaced
    case .merge:
      return domain.values.allSatisfy { values[$0.key] == $0.value } ? .nothing : .merged
    case .keep:
      throw DatabaseError(
        .refused, path: database.path(of: domain.name),
        message:
          "the domain “\(domain.name)” is there already, with \(values.count == 1 ? "1 key" : "\(values.count) keys")",
        advice:
          "it was left as it is: “-merge” puts the file's keys over its own, “-replace” puts \(domain.path) in its place"
      )
    }
  }
}
