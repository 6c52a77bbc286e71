import DefaultsDatabase

/// `watch`: prints each change, whichever process made it, as the command that repeats it.
enum WatchCommand: Subcommand {
  static let name = "watch"
  static let takesDomain = true
  static let takesWordsInOrder = true
  static let forms = [
    CommandForm(
      "", "print the changes to all domains as they happen",
      example: """
        $ defaults watch
        defaults write App Size 5
        """),
    CommandForm(
      "domain", "print the changes to a domain, even before it exists",
      example: """
        $ defaults watch App
        defaults write App Size 5
        """),
    CommandForm(
      "domain key", "print the changes to one default",
      example: """
        $ defaults watch App Size
        defaults write App Size 5
        """),
  ]
  static let discussion = """
    Runs until it is interrupted, as by ^C; on a terminal, standard error says so, and what is watched.
    Each change is one line, a command ready to be pasted into a shell:

      defaults write App Count 6
      defaults delete App Name

    With -macos, types are flags where macOS has one: defaults write App Count -int 6. Dates, numbers of
    single precision, arrays and dictionaries keep their notes, which only this tool reads.
    The change of an element is printed as that of its array.
    The commands name the same database again, by -u, -gnustep or OPENSTEP_DEFAULTS_DIR where this one
    was named so. They are for any shell.
    Several changes of a domain at once are printed sorted by key. A damaged or unreadable file is
    reported on standard error, and its next good version is compared with the last one. A change
    of a key that the administrator sets is reported there too, since that value takes precedence. So is
    a domain whose values do not fit into the 256 MB that are kept to compare with: its changes show again
    when they fit.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    var words = CommandWords(arguments, of: self, in: context)
    if let option = try words.option() { throw words.unknown(option) }
    let operand = try words.domain()
    let argument = try words.word().map { word throws(CommandError) in try KeyArgument(word, of: self) }
    try words.end("a domain and a key at most")
    let domain: DomainName?
    switch operand {
    case .domain(let name)?: domain = name
    case nil: domain = nil
    case .file(let path)?:
      throw CommandError(
        .refused, "\(path): is a file's path, and only domains are watched; nothing was done")
    }
    if argument != nil, argument?.topKey == nil { throw usageError("a domain has keys, and no elements") }
    let database = try context.openDatabase()
    if let domain { try context.tellIfFileName(domain, in: database) }
    let changed = ChangedDomains()
    let watcher = DatabaseWatcher(of: database) {
      domain.map { [$0] }
    } onChange: { names in
      changed.tell(names)
    }
    guard let watcher else {
      throw CommandError(.inputOutput, "the system cannot start a thread")
    }
    // Kept alive while the command runs.
    defer { withExtendedLifetime(watcher) {} }
    var state = WatchedState(
      domain: domain, key: argument?.topKey, path: argument?.path, in: context)
    // The first call tells only that watching has begun; the values that exist by then are not printed.
    _ = changed.take()
    try state.look(at: database, nil, telling: nil)
    if watcher.isPolling {
      try context.output.report(
        CommandError(
          .done,
          "\(database.directory): the system does not report every change there; "
            + "checking every \(DatabaseWatcher.pollingInterval) seconds"))
    }
    if state.isToBeTriedAgain { watcher.lookAgainSoon() }
    try context.output.tellPerson("watching \(subject(domain, argument, in: database)); ^C ends it")
    while true {
      let names = changed.take()
      try state.look(at: database, names) { domain, keys, lines in
        for line in lines { try context.output.print(line) }
        // Read each time, since the administrator may change them meanwhile.
        try context.presentManagedKeys().tell(of: keys, in: domain)
      }
      if state.isToBeTriedAgain { watcher.lookAgainSoon() }
      try context.output.flush()
      if context.output.isClosed { return .done }
    }
  }

  /// What is watched, for the person at the terminal.
  private static func subject(
    _ domain: DomainName?, _ key: KeyArgument?, in database: UserDatabase
  ) -> String {
    guard let domain else { return "all domains in \(database.directory)" }
    return (key.map { "“\($0.text)” of " } ?? "") + "the domain “\(domain)” in \(database.directory)"
  }

  /// Hands the domains that may have changed from the watcher's thread to the one that looks at them.
  ///
  /// The watcher's thread waits meanwhile: it spreads the looks over time by how long they take, and collects what
  /// changes while the output is not read, in bounded memory.
  final class ChangedDomains: Sendable {
    private let state = Lock(State())
    private let condition = Condition()

    private struct State {
      /// The domains to look at, nil inside for all; nil if there are none.
      var names: Set<DomainName>??
      /// Whether they are being looked at.
      var isTaken = false
    }

    /// Hands over some domains, or all for nil, and waits until they have been looked at.
    func tell(_ names: Set<DomainName>?) {
      state.withLock { $0.names = .some(names) }
      condition.broadcast()
      state.withLock(waitingOn: condition) { state in
        state.names == nil ? .end : .wait()
      }
    }

    /// Ends the look at the domains that were taken last.
    func end() {
      state.withLock { state in
        if state.isTaken { (state.names, state.isTaken) = (nil, false) }
      }
      condition.broadcast()
    }

    /// Ends the look at the domains that were taken last, waits for others, and takes them.
    func take() -> Set<DomainName>? {
      end()
      var names: Set<DomainName>?
      state.withLock(waitingOn: condition) { state in
        guard let present = state.names else { return .wait() }
        names = present
        state.isTaken = true
        return .end
      }
      return names
    }
  }
}
