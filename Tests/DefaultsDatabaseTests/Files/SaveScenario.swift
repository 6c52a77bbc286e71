import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// A database before a save, the changes to be saved, and what may be found of the domain ever after.
struct SaveScenario: Sendable, CustomTestStringConvertible {
  /// What a domain is found to be.
  enum State: Hashable {
    case absent
    case values([PropertyListKey: PropertyList])
    case damaged
  }

  private enum Entry {
    case directory
    case file([UInt8])
    case link(String)
  }

  private(set) var testDescription: String
  var domain = "App"
  let changes: DomainChanges
  let old: State
  let new: State
  /// The format of the file afterwards.
  var format: DomainFileFormat? = .openStep
  /// Whether files on the disk can have a second name.
  var hasLinks = true
  /// From how many bytes on the save is worked out before it takes the lock.
  var largeByteCount = Int.max
  /// Bytes that some file must hold whatever happens.
  var precious: [UInt8]?
  /// What lies below the home directory, in the order in which it is made.
  private var entries: [(name: String, entry: Entry)] = []

  static let folder = ".OpenStep/Defaults"
  private static let oldValues: [PropertyListKey: PropertyList] = ["a": "1"]
  private static let newValues: [PropertyListKey: PropertyList] = ["a": "1", "k": "new"]

  private init(
    _ description: String, _ entries: [(String, Entry)], old: State, new: State,
    changes: DomainChanges = setting
  ) {
    testDescription = description
    self.entries = entries.map { (name: $0.0, entry: $0.1) }
    self.old = old
    self.new = new
    self.changes = changes
  }

  private static var setting: DomainChanges {
    var changes = DomainChanges()
    changes.set("new", for: "k")
    return changes
  }

  private static var removing: DomainChanges {
    var changes = DomainChanges()
    changes.remove("a")
    return changes
  }

  private static var emptying: DomainChanges {
    var changes = DomainChanges()
    changes.replaceAll(with: [:])
    return changes
  }

  // MARK: - All of them

  private static let directories: [(String, Entry)] = [(".OpenStep", .directory), (folder, .directory)]
  private static let neighbour: (String, Entry) = ("\(folder)/Other.plist", .file(neighbourText))
  private static let neighbourText = Array("{ other = 1; }".utf8)
  private static let text = Entry.file(Array("{ a = 1; }".utf8))
  private static let brokenText = Array("{ a = 1; b = ".utf8)

  private static func existing(_ entries: (String, Entry)...) -> [(String, Entry)] {
    directories + [neighbour] + entries.map { ("\(folder)/\($0.0)", $0.1) }
  }

  static let all: [SaveScenario] = {
    let (old, new) = (State.values(oldValues), State.values(newValues))
    let onlyNew = State.values(["k": "new"])
    var all = [
      SaveScenario("a new domain", existing(), old: .absent, new: onlyNew),
      SaveScenario("a changed domain", existing(("App.plist", text)), old: old, new: new),
      SaveScenario(
        "a domain that is emptied", existing(("App.plist", text)), old: old, new: .absent, changes: removing),
      SaveScenario("the first domain, whose directory is missing", [], old: .absent, new: onlyNew),
      SaveScenario(
        "the first domain, in a directory that somebody made", directories, old: .absent, new: onlyNew),
      SaveScenario(
        "a file through a link",
        [("dotfiles", .directory), ("dotfiles/app", text)]
          + existing(("App.plist", .link("../../dotfiles/app"))), old: old, new: new),
      SaveScenario(
        "a link to nothing yet",
        [("dotfiles", .directory)] + existing(("App.plist", .link("../../dotfiles/app"))), old: .absent,
        new: onlyNew),
      SaveScenario(
        "nothing that differs", existing(("App.plist", .file(Array("{ a = 1; k = new; }".utf8)))), old: new,
        new: new),
    ]
    all.append(
      SaveScenario(
        "a domain that is emptied over an older file",
        existing(("App.plist", text), ("App", .file([0x7B, 0x7D]))),
        old: old, new: .values([:]), changes: removing))
    var bare = SaveScenario("a file without an extension", existing(("WM", text)), old: old, new: new)
    bare.domain = "WM"
    all.append(bare)
    for (description, changes, new) in [
      ("a damaged file", setting, onlyNew), ("a damaged file that is emptied", emptying, State.absent),
    ] {
      var damaged = SaveScenario(
        description, existing(("App.plist", .file(brokenText))), old: .damaged, new: new, changes: changes)
      damaged.precious = brokenText
      all.append(damaged)
      // Removed under its own name by one renaming, with and without links.
      if new == .absent { continue }
      damaged.hasLinks = false
      damaged.testDescription += ", on a disk without hard links"
      all.append(damaged)
    }
    for format in [DomainFileFormat.xml, .binary] {
      guard let bytes = try? format.bytes(of: .dictionary(oldValues)) else { continue }
      var kept = SaveScenario(
        "a file that stays \(format)", existing(("App.plist", .file(bytes))), old: old, new: new)
      kept.format = format
      all.append(kept)
    }
    for index in all.indices where all[index].new == .absent { all[index].format = nil }
    let early = [
      "a new domain", "a changed domain", "a domain that is emptied", "a file through a link",
      "a damaged file",
    ]
    for var scenario in all where early.contains(scenario.testDescription) {
      scenario.testDescription += ", worked out before the lock is taken"
      scenario.largeByteCount = 0
      all.append(scenario)
    }
    return all
  }()

  // MARK: - Making it

  /// Makes the files on an imaginary disk, where all of them are on stable storage.
  func tree() throws -> FileTree {
    var tree = FileTree()
    try tree.addDirectory(SaveScenario.imaginaryHome)
    for (name, entry) in entries {
      let path = "\(SaveScenario.imaginaryHome)/\(name)"
      switch entry {
      case .directory: try tree.addDirectory(path)
      case .file(let bytes): try tree.addFile(path, bytes)
      case .link(let destination): try tree.addLink(path, to: destination)
      }
    }
    return tree
  }

  static let imaginaryHome = "/home/user"
  static let imaginaryDatabase = "\(imaginaryHome)/\(folder)"

  /// Makes the files on the real disk.
  func make(in home: TemporaryHome) throws {
    for (name, entry) in entries {
      switch entry {
      case .directory:
        try FileManager.default.createDirectory(
          atPath: home.path(name), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      case .file(let bytes): try home.write(bytes, to: name)
      case .link(let destination):
        try FileManager.default.createSymbolicLink(
          atPath: home.path(name), withDestinationPath: destination)
      }
    }
  }

  // MARK: - Saving and looking

  /// Saves the changes to the database below a home directory.
  @discardableResult
  func save(home: String = imaginaryHome, _ fileSystem: any FileSystem) throws(DatabaseError) -> Commit {
    try database(home: home, fileSystem).commit(changes, to: DomainName(domain), onDamage: .moveAside)
  }

  /// The database as this scenario has it.
  func database(home: String = imaginaryHome, _ fileSystem: any FileSystem) -> UserDatabase {
    UserDatabase(
      directory: "\(home)/\(SaveScenario.folder)", fileSystem: limited(fileSystem),
      largeByteCount: largeByteCount)
  }

  /// A file system as this scenario has it: where there are no hard links, none can be made.
  private func limited(_ fileSystem: any FileSystem) -> any FileSystem {
    hasLinks ? fileSystem : FaultyFileSystem(fileSystem) { $0.name == "link" ? .notAllowed : nil }
  }

  /// Whether a state may be found while the save is under way.
  func mayBeFound(_ state: State) -> Bool {
    // Between two renamings a damaged file has its other name, and the new one none yet.
    state == old || state == new || (precious != nil && !hasLinks && state == .absent)
  }

  /// What a program that starts now finds.
  func state(
    home: String = imaginaryHome, _ fileSystem: any FileSystem = DiskFileSystem()
  ) throws(DatabaseError) -> State {
    let database = UserDatabase(directory: "\(home)/\(SaveScenario.folder)", fileSystem: fileSystem)
    let loaded = try database.load(DomainName(domain))
    if loaded.damage != nil { return .damaged }
    return loaded.identity == nil ? .absent : .values(loaded.values)
  }

  /// Why a disk is not what it must be after this save was cut short, or done; nil where all is well.
  func complaint(about tree: FileTree, isDone: Bool) throws -> String? {
    let state = try state(RecordingFileSystem(tree))
    let folder = SaveScenario.imaginaryDatabase
    if isDone && state != new { return "acknowledged, and yet \(state)" }
    if !isDone && !mayBeFound(state) { return "neither old nor new: \(state)" }
    if let precious,
      !tree.names(in: folder).contains(where: { tree.bytes(at: "\(folder)/\($0)") == precious })
    {
      return "the damaged bytes are gone"
    }
    if entries.contains(where: { $0.name.hasSuffix("/Other.plist") }),
      tree.bytes(at: "\(folder)/Other.plist") != SaveScenario.neighbourText
    {
      return "another domain was touched"
    }
    if isDone, let format {
      let database = UserDatabase(directory: folder, fileSystem: RecordingFileSystem(tree))
      let bytes = tree.bytes(at: try database.path(of: DomainName(domain)))
      if bytes.map(DomainFileFormat.init(recognising:)) != format { return "the format is another" }
    }
    return nil
  }
}
