import DefaultsDatabase
import OpenStepPropertyList

/// The findings about domains.
extension Examination {
  /// The findings about a domain's file.
  func findings(of domain: DomainName) -> [Finding] {
    let path = database.path(of: domain)
    var unread: [Finding] = []
    if let reason = domain.reasonForNoFile {
      let text = "\(path): no program reads it: “\(domain)” \(reason); “defaults delete \(domain)” removes it"
      unread = [Finding(.warning, text)]
    }
    let found =
      unread
      + findings { try rightsFindings(of: domain, at: path) }
      + findings {
        guard let hidden = try database.hiddenPath(of: domain) else { return [] }
        return [Finding(.warning, "\(hidden): is hidden by \(path); “defaults delete-all” removes both")]
      }
    // What could not be looked at is told of once.
    if let failed = found.first(where: { $0.failure != nil }) {
      return found.filter { $0.failure == nil } + [failed]
    }
    return found
      + findings {
        let contents = try database.contents(of: domain)
        if let damage = contents.domain.damage { return [damageFinding(of: domain, damage, contents)] }
        return try warningFindings(of: domain, at: path, contents)
      }
  }

  /// The findings about who may use a file.
  private func rightsFindings(of domain: DomainName, at path: String) throws -> [Finding] {
    // Throws for a link that is not followed: what lies behind it is another user's affair.
    if try database.status(at: path, followingLinks: false)?.kind == .symbolicLink {
      _ = try database.hiddenPath(of: domain)
    }
    // What is no file is to be moved away, whoever may read it.
    guard let status = try database.status(at: path, followingLinks: true), status.kind == .regular else {
      return []
    }
    var found: [Finding] = []
    let owner = try database.status(at: database.directory, followingLinks: true)?.owner
    if status.mode & 0o077 != 0 {
      let mode = String(status.mode & 0o777, radix: 8)
      let chmod = advised("“chmod 600” or ", or: "")
      var finding = Finding(
        .warning, "\(path): others may read it, mode \(mode); \(chmod)the next save ends that")
      // Of any other file it is refused.
      if status.owner == owner, status.linkCount == 1 {
        finding.repair = {
          try database.makePrivate(domain)
          return ["\(path): is its owner's alone"]
        }
      }
      found.append(finding)
    }
    if let owner, status.owner != owner {
      found.append(
        Finding(
          .warning,
          "\(path): belongs to user \(status.owner), and the directory to user \(owner); "
            + advised("“chown” ends that", or: "“mv” as user \(owner) moves it away")))
    }
    return found
  }

  private func damageFinding(
    of domain: DomainName, _ damage: DatabaseError, _ contents: DomainContents
  ) -> Finding {
    let whole = WholeCopy(of: domain, in: database, history, reading: context.readingBudget)
    let copy = whole.map { "; \($0.advice(for: domain, in: context))" } ?? ""
    // Entry by entry, one side would be lost, or both sides' entries would be taken for one dictionary's.
    if damage.isMergeConflict { return Finding(.error, "\(damage)\(copy)") }
    let repair = DomainRepair(domain: domain, database: database)
    guard let bytes = contents.bytes, let rescued = repair.rescued(from: bytes) else {
      return Finding(.error, "\(damage); nothing of it can be rescued\(copy)")
    }
    let advice = "“defaults doctor -repair” rescues what is whole: \(rescued.summary)"
    return Finding(.error, "\(damage); \(advice)\(copy)") { try repair.rescue() }
  }

  /// The findings about a file that is not damaged.
  private func warningFindings(
    of domain: DomainName, at path: String, _ contents: DomainContents
  ) throws -> [Finding] {
    guard let bytes = contents.bytes else { return [] }
    let warnings = try SourceFile(domainsFileAt: path, bytes: bytes).warnings()
    var found = warnings.map { warning in
      let place = warning.line > 0 ? "\(path):\(warning.line):\(warning.column)" : path
      return Finding(warning.isError ? .error : .warning, "\(place): \(warning.message)")
    }
    // One repair removes all equal keys of the file.
    if let first = warnings.firstIndex(where: { $0.kind == .equalKeys }) {
      found[first].repair = { try DomainRepair(domain: domain, database: database).removeEqualKeys() }
    }
    return found
  }
}
