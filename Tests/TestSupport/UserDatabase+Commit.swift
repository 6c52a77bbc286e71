package import DefaultsDatabase
package import OpenStepPropertyList

extension UserDatabase {
  /// Commits changes by a request made of these arguments.
  package func commit(
    _ changes: DomainChanges, to domain: DomainName, onDamage: DamagePolicy,
    deadline: MonotonicTime = .now + patience,
    knowing known: @escaping () -> [PropertyListKey: PropertyList] = { [:] }, knownText: DictionaryText? = nil
  ) throws(DatabaseError) -> Commit {
    var request = CommitRequest(changes, to: domain)
    request.onDamage = onDamage
    request.deadline = deadline
    request.knownValues = known
    request.knownText = knownText
    return try commit(request)
  }

  /// Commits lines by a request.
  package func commit(_ lines: DomainLines, to domain: DomainName) throws(DatabaseError) -> Commit {
    try commit(CommitRequest(lines, to: domain))
  }
}
