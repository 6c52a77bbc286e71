import DefaultsDatabase
import OpenStepPropertyList

/// A property list's file as what a verb reads or changes.
///
/// The path may leave out the extension `.plist`.
struct FileSubject: Subject {
  /// The path of the file that exists, or of the one that would be made.
  let path: String
  private let context: CommandContext
  /// The user to whose database the file belongs, if the administrator acts for that user.
  private let account: Account?

  /// The extensions with which a new file is made under the name as it is given.
  private static let extensions = [
    "plist", "strings", "stringsdict", "pbxproj", "glyphs", "entitlements", "mobileconfig", "GNUstepDefaults",
  ]

  /// Names a file in the directory of a database, which is reached with the rights that are used there.
  init(_ path: String, of database: UserDatabase, in context: CommandContext) {
    (self.path, self.context, account) = (path, context, database.account)
  }

  init(_ path: String, in context: CommandContext) {
    self.context = context
    account = nil
    func exists(_ path: String, orIfUnknown isUnknownThere: Bool) -> Bool {
      do throws(DatabaseError) {
        return try FileSubject.status(at: path, followingLinks: false) != nil
      } catch {
        return isUnknownThere
      }
    }
    let name = PathNames.last(in: path)
    let hasExtension = FileSubject.extensions.contains { name.hasByteSuffix(".\($0)") }
    // Where the given path cannot be looked at, its reader or writer tells why. A longer one may be too long.
    let isGiven =
      exists(path, orIfUnknown: true) || hasExtension && !exists(path + ".plist", orIfUnknown: false)
    self.path = isGiven || name.isEmpty || path.hasByteSuffix("/") ? path : path + ".plist"
  }

  var name: String { path }
  var column: String? { nil }
  var octalEscapes: PropertyList.ParsingOptions.OctalEscapes {
    PropertyListFile.defaultOptions(forFileAt: path).octalEscapes
  }
  var style: OutputStyle { context.style }

  /// The status of what is at a path, or of what it leads to, nil if there is nothing; found with the rights of the user who
  /// can change where it leads, so that nobody learns what only the administrator can see.
  private static func status(
    at path: String, followingLinks: Bool = true
  ) throws(DatabaseError) -> FileStatus? {
    try FileRights.reaching(path) { () throws(DatabaseError) in
      do throws(SystemError) {
        return try DiskFileSystem().status(at: path, followingLinks: followingLinks)
      } catch SystemError.notFound {
        return nil
      } catch {
        throw .inputOutput(error, path: path, "cannot be read")
      }
    }
  }

  func loaded() throws -> (value: PropertyList, byteCount: Int)? {
    if let account {
      let read = reader()
      return try PropertyListFile.bytes(at: path, actingFor: account).map { (try read($0).root, $0.count) }
    }
    guard try FileSubject.status(at: path) != nil else { return nil }
    let file = try SourceFile(path, in: context)
    return (try file.recognisedValue(context.output), file.bytes.count)
  }

  var absence: CommandError {
    var error = CommandError(
      .absent, style == .macos ? "Domain \(path) does not exist" : "\(path): there is no such file")
    error.hint = hintOfDomain
    return error
  }

  /// The domain that may have been meant by a path at which nothing is: one of the file's name, and any of which macOS
  /// keeps the values there.
  private var hintOfDomain: String? {
    let parts = PathNames.all(in: path)
    guard let stem = parts.last?.withoutListExtension else { return nil }
    if DomainOperand.isGlobal(stem) { return "did you mean the domain “\(DomainName.global)”?" }
    guard let database = try? context.openDatabase(), let domain = try? DomainName(stem, in: context.dialect),
      parts.dropLast().suffix(2) == ["Library", "Preferences"] || database.hasFile(of: domain)
    else { return nil }
    return "did you mean the domain “\(domain)”?"
  }

  func change(
    rehearsing isRehearsal: Bool, _ change: @escaping (PropertyList?) throws -> PropertyList?
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    var held: HeldValue?
    let states = try replace(rehearsing: isRehearsal) { file in
      guard let asked = try change(file?.root) else { return (nil, nil) }
      guard let file else { return (try asked.bytes(style: .openStep, within: FileSize.maximum), asked) }
      let new = try HeldValue(asked, over: file.root, in: file.capacity(for: asked))
      held = new
      return (try new.value.map { try file.bytes(changedTo: $0) }, new.value)
    }
    try context.output.tellOfLostTypes(in: held, rehearsing: isRehearsal)
    return states
  }

  func rename(
    _ path: PropertyListPath, to key: PropertyListKey, replacing replaces: Bool, rehearsing isRehearsal: Bool
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    var held: HeldValue?
    let states = try replace(rehearsing: isRehearsal) { file in
      guard let file else { throw absence }
      let asked = try renamed(file.root, path, to: key, replacing: replaces)
      if let edited = try file.bytes(renaming: path, to: key, replacing: replaces, holding: asked) {
        return (edited, asked)
      }
      let new = try HeldValue(asked, over: file.root, in: file.capacity(for: asked))
      held = new
      return (try new.value.map { try file.bytes(changedTo: $0) }, new.value)
    }
    try context.output.tellOfLostTypes(in: held, rehearsing: isRehearsal)
    return states
  }

  func tellOfManagedKeys(_ keys: [PropertyListKey]?, in value: PropertyList) {}

  /// What reads the file's bytes; it looks for the database now, before the rights to the file are taken.
  private func reader() -> ([UInt8]) throws -> TextFile {
    let reading = context.reading(ofFileAt: path)
    return { try TextFile($0, at: path, reading) }
  }

  /// Replaces the file by what a closure makes of it.
  private func replace(
    rehearsing isRehearsal: Bool, _ make: (TextFile?) throws -> (bytes: [UInt8]?, value: PropertyList?)
  ) throws -> (old: PropertyList?, new: PropertyList?) {
    let read = reader()
    if isRehearsal {
      let file = try PropertyListFile.bytes(at: path, actingFor: account).map(read)
      return (file?.root, try make(file).value)
    }
    var states: (old: PropertyList?, new: PropertyList?) = (nil, nil)
    do {
      try PropertyListFile.change(path, actingFor: account) { bytes in
        let file = try bytes.map(read)
        let new = try make(file)
        states = (file?.root, new.value)
        guard let bytes = new.bytes else { return file == nil ? .keep : .none }
        return bytes == file?.bytes ? .keep : .bytes(bytes)
      }
    } catch let error as DatabaseError where error.kind == .inputOutput(code: SystemError.notFound.code) {
      var error = CommandError(error)
      error.hint = hintOfDomain
      throw error
    }
    return states
  }
}
