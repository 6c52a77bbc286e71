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

  /// Refuses new values in a domain whose file no program would read: of the name of Window Maker's menu, or of a
  /// domain that exists only inside a program.
  ///
  /// Every verb that takes new values comes here before it changes anything; what “undo” and “restore” put back was
  /// there before.
  func refuseUnread(_ domain: DomainName) throws(DatabaseError) {
    if let reason = domain.reasonForNoFile {
      throw DatabaseError(
        .refused, path: "“\(domain)”", message: reason, advice: "nothing was changed; choose another domain")
    }
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
  /// Why no program reads a file of this domain, as a clause; nil for a domain that has one.
  var reasonForNoFile: String? {
    switch self {
    case .argument: "is the domain of a program's arguments, which exists only inside the program"
    case .registration: "is the domain of what a program registers, which exists only inside the program"
    default: nil
    }
  }

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
