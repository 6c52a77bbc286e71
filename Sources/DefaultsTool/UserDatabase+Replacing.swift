import DefaultsDatabase
import OpenStepPropertyList

/// What becomes of a domain's file.
enum ReplacedFile {
  /// It stays as it is.
  case keep
  /// It gets these bytes.
  case bytes([UInt8])
  /// It gets these bytes, which it has had before, and which may be damaged.
  case formerBytes([UInt8])
  /// It gets this property list, and keeps what need not change.
  case value(PropertyList)
  /// It is removed.
  case none
}

extension ReplacedFile {
  /// Whether the file gets bytes that are no property list.
  ///
  /// - Parameter value: What the bytes hold; nil for nothing.
  fileprivate func isDamaged(reading value: PropertyList?) -> Bool {
    if case .formerBytes = self { value == nil } else { false }
  }
}

/// A domain before and after its file was replaced.
struct DomainReplacement {
  /// What the domain was; nil for no file, and for a damaged one.
  var old: PropertyList?
  /// What the domain is.
  var new: PropertyList?
  /// Whether its file has bytes now that are no property list.
  var leavesDamage = false
  /// The save; nil in a rehearsal.
  var commit: Commit?
  /// Where a damaged file was kept.
  var movedAside: String? { commit?.movedAside }
}

extension UserDatabase {
  /// What the bytes of a domain's file hold, now or at another time, as the database reads them.
  ///
  /// - Throws: `FormatError` if they are no property list.
  func propertyList(from bytes: [UInt8], of domain: DomainName) throws(FormatError) -> PropertyList {
    var options = PropertyListFile.defaultOptions(forFileAt: path(of: domain))
    options.form = .domainFile
    return try DomainFileFormat.propertyList(
      from: bytes, textOptions: options, undoesGNUstepEscapes: dialect == .gnustep
    ).value
  }

  /// Replaces a domain's file as a whole by what a closure makes of it.
  ///
  /// - Parameters:
  ///   - managed: The keys that the administrator sets, whose values must stay.
  ///   - isRehearsal: Whether to change nothing.
  ///   - onDamage: What becomes of a damaged file, whose bytes the closure receives with no value.
  ///   - isBareIfNew: Whether a file that is put back had a name without an extension; nil if none is put back.
  ///   - make: Receives the file's bytes and what it holds; nil if there is none.
  func replaceFile(
    of domain: DomainName, _ managed: ManagedKeys, rehearsing isRehearsal: Bool,
    onDamage: DamagePolicy = .refuse, isBareIfNew: Bool? = nil,
    _ make: @escaping (_ bytes: [UInt8]?, _ value: PropertyList?) throws -> ReplacedFile
  ) throws -> DomainReplacement {
    func result(_ bytes: [UInt8]?, _ old: PropertyList?) throws -> (ReplacedFile, PropertyList?) {
      let file = try make(bytes, old)
      let new: PropertyList? =
        switch file {
        case .keep: old
        case .bytes(let bytes): try propertyList(from: bytes, of: domain)
        case .formerBytes(let bytes): try? propertyList(from: bytes, of: domain)
        case .value(let value): value
        case .none: nil
        }
      guard case .dictionary(let entries) = new ?? [:] else {
        throw CommandError(.refused, "\(domain): a domain is a dictionary; nothing was changed")
      }
      var changes = DomainChanges()
      changes.replaceAll(with: entries)
      var before: [PropertyListKey: PropertyList] = [:]
      if case .dictionary(let entries)? = old { before = entries }
      try managed.check(changes, of: domain, over: before)
      return (file, new)
    }
    if isRehearsal {
      let contents = try contents(of: domain)
      if onDamage == .refuse, let damage = contents.domain.damage { throw damage }
      let old = contents.readableValue
      let (file, new) = try result(contents.bytes, old)
      return DomainReplacement(old: old, new: new, leavesDamage: file.isDamaged(reading: new))
    }
    var replacement = DomainReplacement()
    var failure: (any Error)?
    var request = CommitRequest(to: domain) { contents throws(DatabaseError) in
      do {
        let old = contents.readableValue
        let (file, new) = try result(contents.bytes, old)
        replacement = DomainReplacement(old: old, new: new, leavesDamage: file.isDamaged(reading: new))
        switch file {
        case .keep: return .changes(DomainChanges())
        case .bytes(let bytes): return .bytes(bytes)
        case .formerBytes(let bytes): return .formerBytes(bytes)
        case .none: return .none
        case .value(let value):
          var changes = DomainChanges()
          guard case .dictionary(let after) = value else { return .changes(changes) }
          let before = contents.domain.values
          for (key, value) in after where before[key] != value { changes.set(value, for: key) }
          for key in before.keys where after[key] == nil { changes.remove(key) }
          return .changes(changes)
        }
      } catch {
        failure = error
        throw DatabaseError(.refused, path: domain.text, message: "is not changed")
      }
    }
    request.onDamage = onDamage
    request.isBareIfNew = isBareIfNew
    do throws(DatabaseError) {
      replacement.commit = try commit(request)
    } catch {
      throw failure ?? error
    }
    return replacement
  }
}

extension UserDatabase {
  /// What a rehearsal of replacing a whole domain shows as its present values.
  ///
  /// A file that is damaged or too large to be read is reported, and has none.
  func valuesToReplace(
    of domain: DomainName, reportingTo output: CommandOutput
  ) throws -> (isPresent: Bool, values: [PropertyListKey: PropertyList]?) {
    let loaded: LoadedDomain
    do throws(DatabaseError) {
      loaded = try load(domain)
    } catch {
      guard error.isTooLarge else { throw error }
      try output.report(CommandError(.done, error.with(advice: "what it holds is not shown").description))
      return (true, nil)
    }
    if let damage = loaded.damage { try output.reportDamage(toReplace: damage) }
    let isPresent = loaded.identity != nil
    return (isPresent, isPresent && !loaded.isDamaged ? loaded.values : nil)
  }
}

extension DomainContents {
  /// What the file holds; nil for no file, and for a damaged one.
  var readableValue: PropertyList? {
    domain.identity == nil || domain.isDamaged ? nil : .dictionary(domain.values)
  }
}

extension CommandOutput {
  /// Tells where the old file was kept, if a save has put it aside.
  func reportMovedAside(_ commit: Commit?, of domain: DomainName, in database: UserDatabase) throws {
    guard let notice = commit?.notice else { return }
    try report(CommandError(.done, "\(database.path(of: domain)): \(notice)"))
  }

  /// Tells that a save would put the damaged file of a domain aside.
  func reportDamage(toReplace damage: DatabaseError) throws {
    let advice = "the damaged file would be kept under another name"
    try report(CommandError(.done, damage.with(advice: advice).description))
  }
}
