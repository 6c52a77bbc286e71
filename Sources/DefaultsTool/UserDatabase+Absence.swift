import DefaultsDatabase

/// What is said of a domain that does not exist, and of what was probably meant.
extension UserDatabase {
  /// The error for a domain that does not exist.
  ///
  /// - Parameter style: Whose words say so.
  func absence(of domain: DomainName, style: OutputStyle = .openstep) -> CommandError {
    if let menu = menuPath(insteadOf: domain) {
      return CommandError(.absent, UserDatabase.sentence(ofMenuAt: menu))
    }
    var error = CommandError(
      .absent,
      style == .macos
        ? "Domain \(domain.nameInMacOS) does not exist" : "there is no domain “\(domain)”")
    error.hint = domain.hintOfFileName
    if error.hint == nil, let names = try? domainNames() {
      error.hint = Suggestion.line(for: domain.text, among: names.lazy.map(\.text))
    }
    return error
  }

  /// Refuses to make a domain of the name of Window Maker's menu, which Window Maker would not read.
  ///
  /// Every verb that takes new values comes here before it changes anything; what “undo” and “restore” put back was
  /// there before.
  func refuseMenu(_ domain: DomainName) throws(DatabaseError) {
    guard let menu = menuPath(insteadOf: domain) else { return }
    throw DatabaseError(
      .refused, path: menu, message: UserDatabase.remark(onMenuAt: menu), advice: "nothing was changed")
  }

  /// Tells of Window Maker's menu, which no list of domains has.
  func tellOfMenu(_ output: CommandOutput) throws {
    guard let menu = rootMenuPath() else { return }
    try output.report(CommandError(.done, UserDatabase.sentence(ofMenuAt: menu)))
  }

  /// The path of Window Maker's menu, if a domain of its name does not exist beside it.
  private func menuPath(insteadOf domain: DomainName) -> String? {
    guard domain.text == OpenStepFormat.rootMenuFile, !hasFile(of: domain) else { return nil }
    return rootMenuPath()
  }

  private static func sentence(ofMenuAt path: String) -> String {
    "\(path): \(remark(onMenuAt: path))"
  }

  private static func remark(onMenuAt path: String) -> String {
    "is Window Maker's menu, which is no domain; “defaults read \(ShellWord.text(path))” shows it"
  }
}

extension DomainName {
  /// What may have been meant by the name of a property list's file, such as `App.plist`; nil for another name.
  var hintOfFileName: String? {
    text.withoutListExtension.map { "did you mean “./\(text)”, or the domain “\($0)”?" }
  }
}

extension CommandContext {
  /// Where a command is about to make a domain that has the name of a file, tells what may have been meant.
  func tellIfFileName(_ domain: DomainName, in database: UserDatabase) throws {
    guard let hint = domain.hintOfFileName, !database.hasFile(of: domain) else { return }
    var remark = CommandError(.done, "there is no domain “\(domain)” yet")
    remark.hint = hint
    try output.report(remark)
  }
}
