import DefaultsDatabase
import Dispatch
import OpenStepPropertyList

/// `watch`: prints each change that anyone makes, as the command that would make it again.
enum WatchCommand: Subcommand {
  static let name = "watch"
  static let takesDomain = true
  static let forms = [
    CommandForm("", "print the changes to all domains as they happen"),
    CommandForm("domain", "print the changes to a domain, which need not exist yet"),
    CommandForm("domain key", "print the changes to one default"),
  ]
  static let discussion = """
    Runs until it is interrupted. Each change is one line, a command ready to be pasted into a
    shell:

      defaults write App Count 6
      defaults delete App Name

    Several changes at once are printed sorted by domain and key. A file that is damaged or cannot
    be read is told of on standard error; the next good version of it is compared with the last.
    """

  static func run(_ arguments: [String], in context: CommandContext) throws -> ExitCode {
    guard arguments.count <= 2 else { throw usageError("“watch” takes a domain and a key at most") }
    let domain = try arguments.first.map { name throws(DatabaseError) in try DomainName(name) }
    let key = arguments.count == 2 ? PropertyListKey(arguments[1]) : nil
    let database = try context.openDatabase()
    let news = DispatchSemaphore(value: 0)
    guard let watcher = DatabaseWatcher(of: database, onChange: { news.signal() }) else {
      throw CommandError(.inputOutput, "the system has no thread to give")
    }
    // Held for as long as the command runs.
    defer { withExtendedLifetime(watcher) {} }
    var state = State(domain: domain, key: key)
    // The first is no change: what is there before the watch stands.
    news.wait()
    try state.look(at: database, context.output) { _ in }
    if watcher.isPolling {
      try context.output.printError(
        "defaults: \(database.directory): the system does not tell of every change there; "
          + "looking every \(DatabaseWatcher.pollingInterval) seconds")
    }
    while true {
      news.wait()
      try state.look(at: database, context.output) { try context.output.print($0) }
      try context.output.flush()
    }
  }

  /// What was seen of the domains that are watched.
  private struct State {
    /// The domain to look at; nil for all.
    let domain: DomainName?
    /// The key to look at; nil for all.
    let key: PropertyListKey?
    private var domains: [DomainName: LoadedDomain] = [:]
    /// What was reported of a domain and is so still.
    private var problems: [DomainName: CommandError] = [:]
    /// The same of the list of domains.
    private var problem: CommandError?

    init(domain: DomainName?, key: PropertyListKey?) {
      self.domain = domain
      self.key = key
    }

    /// Looks again, and prints what is otherwise now.
    mutating func look(
      at database: UserDatabase, _ output: CommandOutput, printing print: (String) throws -> Void
    ) throws {
      var names = Set(domains.keys)
      if let domain {
        names.insert(domain)
      } else {
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
        for line in try lines(from: old, to: new, of: name) { try print(line) }
      }
    }

    private func lines(from old: LoadedDomain, to new: LoadedDomain, of name: DomainName) throws -> [String] {
      if old.identity != nil, new.identity == nil, key == nil, isPlain(name.text) {
        return ["defaults delete \(ShellWord.text(name.text))"]
      }
      let (old, new) = (old.values, new.values)
      var keys = Set(old.keys).union(new.keys)
      if let key { keys = keys.intersection([key]) }
      return try keys.sorted().filter { old[$0] != new[$0] }.map { key in
        try line(domain: name.text, key: key, value: new[key])
      }
    }

    /// The command that sets a default, or deletes it for nil.
    private func line(domain: String, key: PropertyListKey, value: PropertyList?) throws -> String {
      let verb = value == nil ? "delete" : "write"
      guard isPlain(domain), !key.text.utf8.contains(0) else {
        let line = try DefaultLine.text(domain: domain, key: key, value: value ?? .string(""))
        return "printf '%s\\n' \(ShellWord.text(line)) | defaults \(verb)"
      }
      let words = try [domain, key.text] + (value.map { [try DefaultLine.text(of: $0)] } ?? [])
      return "defaults \(verb) " + words.map(ShellWord.text).joined(separator: " ")
    }

    /// Whether a domain's name, as an argument, is not taken for an option.
    private func isPlain(_ domain: String) -> Bool {
      domain.utf8.first != UInt8(ascii: "-")
    }
  }
}
