import DefaultsDatabase

extension CommandContext {
  /// Tells that the file of a domain is damaged now, and which copy of it is not.
  func tellIfDamaged(_ domain: DomainName, in database: UserDatabase) throws {
    // What cannot be read is not what is asked for; the commands that read it say why.
    guard let damage = (try? database.load(domain))?.damage else { return }
    let copy = WholeCopy(of: domain, in: database, ExaminedHistory(of: database), reading: readingBudget)?
      .advice(for: domain, in: self)
    try output.report(
      CommandError(.done, copy.map { damage.with(advice: $0) }?.description ?? damage.description))
  }
}

extension CommandOutput {
  /// Tells which files of a snapshot are damaged, so that `restore` leaves their domains as they are.
  ///
  /// - Parameter budget: How many bytes are read at most; a larger file is passed over.
  func tellOfDamage(
    in snapshot: UserDatabase, named name: String, _ domains: [DomainName],
    reading budget: ReadingBudget
  ) throws {
    for domain in domains where budget.allows(domain, of: snapshot) {
      guard let damage = (try? snapshot.load(domain))?.damage else { continue }
      let advice = "“defaults restore \(name)” leaves the domain “\(domain)” as it is"
      try report(CommandError(.done, damage.with(advice: advice).description))
    }
  }
}
