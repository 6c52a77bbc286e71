import DefaultsDatabase
import OpenStepPropertyList

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

    With -macos, types are flags: defaults write App Count -int 6
    The change of an element is printed as that of its array.
    The commands name the same database again, by -u, -gnustep or OPENSTEP_DEFAULTS_DIR where this one
    was named so. They are for any shell.
    Several changes at once are printed sorted by domain and key. A damaged or unreadable file is
    reported on standard error, and its next good version is compared with the last one. A change
    of a key that the administrator sets is reported there too, since that value takes precedence.
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
      changed.add(names)
    }
    guard let watcher else {
      throw CommandError(.inputOutput, "the system cannot start a thread")
    }
    // Kept alive while the command runs.
    defer { withExtendedLifetime(watcher) {} }
    var state = State(
      domain: domain, key: argument?.topKey, path: argument?.path, in: context)
    // The first call tells only that watching has begun; the values that exist by then are not printed.
    _ = changed.take()
    try state.look(at: database, nil) { _, _, _ in }
    if watcher.isPolling {
      try context.output.report(
        CommandError(
          .done,
          "\(database.directory): the system does not report every change there; "
            + "checking every \(DatabaseWatcher.pollingInterval) seconds"))
    }
    try context.output.tellPerson("watching \(subject(domain, argument, in: database)); ^C ends it")
    while true {
      let names = changed.take()
      try state.look(at: database, names) { domain, keys, lines in
        for line in lines { try context.output.print(line) }
        // Read each time, since the administrator may change them meanwhile.
        try context.presentManagedKeys().tell(of: keys, in: domain)
      }
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

  /// The domains that may have changed since the last ``take()``.
  private final class ChangedDomains: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that the condition guards the variables below.
    private let condition = Condition()
    private var hasNews = false
    /// nil if any domain may have changed.
    private var names: Set<DomainName>? = []

    func add(_ new: Set<DomainName>?) {
      condition.withLock {
        if let new { names?.formUnion(new) } else { names = nil }
        hasNews = true
        condition.signal()
      }
    }

    /// Waits until domains are added, and takes all that were.
    func take() -> Set<DomainName>? {
      condition.withLock {
        while !hasNews { condition.wait() }
        defer { (hasNews, names) = (false, []) }
        return names
      }
    }
  }

  /// The last known state of the watched domains.
  private struct State {
    /// The domain to look at; nil for all.
    let domain: DomainName?
    /// The key to look at; nil for all.
    let key: PropertyListKey?
    private var domains: [DomainName: LoadedDomain] = [:]
    /// The problem of each domain that was reported and still exists.
    private var problems: [DomainName: CommandError] = [:]
    /// The problem of the list of domains that was reported and still exists.
    private var problem: CommandError?
    /// The path of the value to look at, which begins with the key.
    private let path: PropertyListPath?
    private let context: CommandContext
    private var output: CommandOutput { context.output }

    init(domain: DomainName?, key: PropertyListKey?, path: PropertyListPath?, in context: CommandContext) {
      self.domain = domain
      self.key = key
      self.path = path
      self.context = context
    }

    /// Reads some domains again, or all for nil, and reports each changed one: its changed keys, and the
    /// commands that repeat the changes.
    mutating func look(
      at database: UserDatabase, _ changed: Set<DomainName>?,
      telling tell: (DomainName, Set<PropertyListKey>, [String]) throws -> Void
    ) throws {
      var names = changed ?? Set(domains.keys)
      if let domain {
        names = [domain]
      } else if changed == nil {
        do throws(DatabaseError) {
          names.formUnion(try database.domainNames())
          problem = nil
        } catch {
          let error = CommandError(error)
          if problem?.message != error.message { try output.report(error) }
          problem = error
          return
        }
      }
      for name in names.sorted() {
        let old = domains[name] ?? LoadedDomain()
        let new: LoadedDomain
        do {
          guard let loaded = try database.load(name, unlessStill: old.identity) else { continue }
          if let damage = loaded.damage { throw damage }
          new = loaded
        } catch {
          let error = CommandError(error)
          if problems.updateValue(error, forKey: name)?.message != error.message { try output.report(error) }
          continue
        }
        problems[name] = nil
        domains[name] = new.identity == nil ? nil : new
        let keys = changedKeys(from: old, to: new)
        try tell(name, keys, try lines(for: keys, from: old, to: new, of: name))
      }
    }

    private func changedKeys(from old: LoadedDomain, to new: LoadedDomain) -> Set<PropertyListKey> {
      let (old, new) = (old.values, new.values)
      var keys = Set(old.keys).union(new.keys)
      if let key { keys = keys.intersection([key]) }
      return keys.filter { old[$0] != new[$0] }
    }

    private func lines(
      for keys: Set<PropertyListKey>, from old: LoadedDomain, to new: LoadedDomain, of name: DomainName
    ) throws -> [String] {
      let command = try context.commands(about: name)
      if old.identity != nil, new.identity == nil, key == nil { return [command.deletion] }
      let values = new.values
      return try keys.sorted().flatMap { key in
        if let path, path.steps.count > 1 {
          return try lines(at: path, from: old.values, to: values, command)
        }
        let place = PropertyListPath([PropertyListPath.Step.key(key)])
        return [try values[key].map { try command.writing($0, at: place) } ?? command.deletion(of: place)]
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
}

extension PropertyList {
  fileprivate var isDictionary: Bool {
    if case .dictionary = self { true } else { false }
  }
}
