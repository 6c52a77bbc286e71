import DefaultsDatabase
import OpenStepPropertyList

/// What becomes of a domain's file.
enum ReplacedFile {
  /// It stays as it is.
  case keep
  /// It gets these bytes.
  case bytes([UInt8])
  /// It gets this property list, and keeps what need not change.
  case value(PropertyList)
  /// It is removed.
  case none
}

extension UserDatabase {
  /// Replaces a domain's file as a whole by what a closure makes of it.
  ///
  /// - Parameters:
  ///   - managed: The keys that the administrator sets, whose values must stay.
  ///   - isRehearsal: Whether to change nothing.
  ///   - make: Receives the file's bytes and what it holds; nil if there is none.
  /// - Returns: the domain before and after.
  func replaceFile(
    of domain: DomainName, _ managed: ManagedKeys, rehearsing isRehearsal: Bool,
    _ make: @escaping (_ bytes: [UInt8]?, _ value: PropertyList?) throws -> ReplacedFile
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    func value(_ bytes: [UInt8]) throws -> PropertyList {
      let options = PropertyListFile.defaultOptions(forFileAt: path(of: domain))
      return try DomainFileFormat.propertyList(
        from: bytes, textOptions: options, undoesGNUstepEscapes: dialect == .gnustep
      ).value
    }
    func result(_ bytes: [UInt8]?, _ old: PropertyList?) throws -> (ReplacedFile, PropertyList?) {
      let file = try make(bytes, old)
      let new: PropertyList? =
        switch file {
        case .keep: old
        case .bytes(let bytes): try value(bytes)
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
      let bytes = try PropertyListFile.bytes(at: path(of: domain), fileSystem: fileSystem)
      let old = try values(of: domain).map { PropertyList.dictionary($0) }
      return (old, try result(bytes, old).1)
    }
    var states: (old: PropertyList?, new: PropertyList?) = (nil, nil)
    var failure: (any Error)?
    let request = CommitRequest(to: domain) { contents throws(DatabaseError) in
      do {
        let isThere = contents.domain.identity != nil
        let old: PropertyList? = isThere ? .dictionary(contents.domain.values) : nil
        let (file, new) = try result(isThere ? contents.bytes : nil, old)
        states = (old, new)
        switch file {
        case .keep: return .changes(DomainChanges())
        case .bytes(let bytes): return .bytes(bytes)
        case .none: return .none
        case .value(let value):
          var changes = DomainChanges()
          guard case .dictionary(let after) = value else { return .changes(changes) }
          for (key, value) in after where contents.domain.values[key] != value {
            changes.set(value, for: key)
          }
          for key in contents.domain.values.keys where after[key] == nil { changes.remove(key) }
          return .changes(changes)
        }
      } catch {
        failure = error
        throw DatabaseError(.refused, path: domain.text, message: "is not changed")
      }
    }
    do throws(DatabaseError) {
      _ = try commit(request)
    } catch {
      throw failure ?? error
    }
    return states
  }
}
