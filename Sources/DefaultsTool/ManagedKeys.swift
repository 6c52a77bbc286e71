import DefaultsDatabase
import OpenStepPropertyList

/// The keys that the administrator sets for the users of this machine, with values that precede the stored
/// ones.
final class ManagedKeys {
  private let database: UserDatabase?
  private let output: CommandOutput
  /// The keys of the domains whose files were read, so that each is read once.
  private var known: [DomainName: Set<PropertyListKey>] = [:]
  /// The errors that were reported: one of the directory is found again with each file in it.
  private var reported: Set<DatabaseError> = []
  /// Some domains that have no file.
  private var absent: Set<DomainName> = []
  /// How many absent files are remembered: a batch can name so many domains that they would fill the memory.
  private static let maximumAbsentCount = 1000

  /// Makes the managed keys of a directory; nil for a database whose programs do not know them, such as
  /// GNUstep's.
  init(directory: String?, output: CommandOutput) {
    database = directory.map {
      UserDatabase(directory: $0, trustedUsers: ManagedDirectory.trustedUsers(of: $0))
    }
    self.output = output
  }

  /// The administrator's file that sets a key of a domain; nil if the stored value counts.
  func file(deciding key: PropertyListKey, in domain: DomainName) throws -> String? {
    for managed in domain == .global ? [domain] : [domain, .global] {
      if try keys(of: managed).contains(key) { return database?.path(of: managed) }
    }
    return nil
  }

  /// Refuses to set or remove a key that the administrator sets.
  func check(_ key: PropertyListKey, in domain: DomainName) throws {
    guard let file = try file(deciding: key, in: domain) else { return }
    throw CommandError(
      .refused,
      "\(file): the administrator sets “\(key)” of the domain “\(domain)” here, for all users; nothing was changed"
    )
  }

  /// Refuses changes after which a key that the administrator sets would have another stored value.
  ///
  /// So the output of `read` and `export` can be written back. The stored values are used only if the
  /// administrator sets a key of the domain.
  func check(
    _ changes: DomainChanges, of domain: DomainName,
    over old: @autoclosure () throws -> [PropertyListKey: PropertyList]
  ) throws {
    let keys = try self.keys(deciding: domain)
    guard !keys.isEmpty else { return }
    let old = try old()
    let new = changes.applied(to: old)
    for key in keys.sorted() where old[key] != new[key] { try check(key, in: domain) }
  }

  /// Refuses such changes that are given as lines.
  func check(
    _ lines: DomainLines, of domain: DomainName,
    over old: @autoclosure () throws -> [PropertyListKey: PropertyList]
  ) throws {
    let keys = try self.keys(deciding: domain)
    guard !keys.isEmpty else { return }
    let old = try old()
    for key in keys.sorted() where old[key] != lines.value(of: key, over: old[key]) {
      try check(key, in: domain)
    }
  }

  /// The keys that the administrator sets for a domain, in its own file or for all domains.
  func keys(deciding domain: DomainName) throws -> Set<PropertyListKey> {
    domain == .global ? try keys(of: domain) : try keys(of: domain).union(keys(of: .global))
  }

  /// Reports, in one line for each of the administrator's files, which of these keys it sets.
  func tell(of keys: some Sequence<PropertyListKey>, in domain: DomainName) throws {
    var keysOfFiles: [String: [PropertyListKey]] = [:]
    for key in keys {
      if let file = try file(deciding: key, in: domain) { keysOfFiles[file, default: []].append(key) }
    }
    for (file, keys) in keysOfFiles.sorted(by: { $0.key < $1.key }) {
      let names = keys.sorted().map { "“\($0)”" }.joined(separator: ", ")
      try output.report(
        CommandError(
          .done,
          "\(file): the administrator sets \(names) of the domain “\(domain)” here; that wins over what is stored"
        ))
    }
  }

  /// The keys in one of the administrator's files; a damaged or unreadable file sets none. Each error is reported
  /// once.
  private func keys(of domain: DomainName) throws -> Set<PropertyListKey> {
    guard let database else { return [] }
    if let keys = known[domain] { return keys }
    if absent.contains(domain) { return [] }
    var keys: Set<PropertyListKey> = []
    do {
      guard let values = try database.values(of: domain) else {
        if absent.count == ManagedKeys.maximumAbsentCount { absent = [] }
        absent.insert(domain)
        return []
      }
      keys = Set(values.keys)
    } catch let error as DatabaseError where !reported.contains(error) {
      reported.insert(error)
      try output.report(CommandError(error.with(advice: "it counts as setting no key")))
    } catch is DatabaseError {
      // It was reported with another file.
    }
    known[domain] = keys
    return keys
  }
}
