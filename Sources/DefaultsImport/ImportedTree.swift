import DefaultsDatabase
import OpenStepPropertyList

/// The files of an old store, by domain.
struct ImportedTree {
  /// One file.
  struct Entry {
    let path: String
    /// Whether it is for one host only, which macOS keeps in a folder of its own.
    var isForHost = false
    /// Whether it is no file that is read, which ``remarks`` tells: what other files have of its domain is a part.
    var isLeftOut = false
  }

  /// The files of each domain in the order of precedence, those of single hosts last.
  private(set) var entries: [PropertyListKey: [Entry]] = [:]
  /// GNUstep's single file, if there is one among the others.
  private(set) var singleFile: Entry?
  /// The reports about files that were left out.
  private(set) var remarks: [ImportRemark] = []

  static let singleFileName = ".GNUstepDefaults"
  private static let fileExtension = ".plist"
  private static let hostFolder = "ByHost"

  /// Takes one file that the user named, independently of its name.
  init(file path: String) {
    let name = PathNames.last(in: path)
    let folder = PathNames.all(in: path).dropLast().last
    let entry = Entry(path: path, isForHost: folder == ImportedTree.hostFolder)
    guard name != ImportedTree.singleFileName else {
      singleFile = entry
      return
    }
    entries[PropertyListKey(ImportedTree.domain(ofFileNamed: name, isForHost: entry.isForHost))] = [entry]
  }

  /// Lists a directory.
  init(directory path: String, fileSystem: any FileSystem) throws(DatabaseError) {
    try look(
      into: path, isForHosts: PathNames.last(in: path) == ImportedTree.hostFolder, fileSystem: fileSystem)
  }

  private mutating func look(
    into folder: String, isForHosts: Bool, fileSystem: any FileSystem
  ) throws(DatabaseError) {
    var hostFolder: String?
    do throws(SystemError) {
      let names = try fileSystem.names(inDirectory: folder)
      let count = try fileSystem.undecodableNameCount(inDirectory: folder)
      if count > 0 {
        remarks.append(
          ImportRemark(
            .loss, path: folder,
            "names that are not UTF-8 were left out: \(count); rename the files, or pipe each into "
              + "“defaults import DOMAIN -”"))
      }
      // Sorted backwards, so that `App.plist` stands before the `App` that it hides; by bytes, as always.
      for name in names.sorted(by: { PropertyListKey($1) < PropertyListKey($0) }) {
        let path = folder.hasByteSuffix("/") ? folder + name : "\(folder)/\(name)"
        let isHidden = name.utf8.first == UInt8(ascii: ".")
        let isDomains = ImportedTree.isDomains(name)
        if let sentence = NeXTDatabase.description(ofFileAt: path) {
          remarks.append(ImportRemark(.failure(.damaged), path: path, sentence))
          continue
        }
        if isHidden, !isDomains, name != ImportedTree.singleFileName { continue }
        let kind = try fileSystem.status(at: path, followingLinks: false).kind
        switch kind {
        case .directory where name == ImportedTree.hostFolder && !isForHosts:
          hostFolder = path
        case .directory:
          remarks.append(ImportRemark(.note, path: path, "is a directory and was left out"))
          // Without the extension it belongs to no domain.
          if ImportedTree.hasExtension(name) { leaveOut(name, at: path, isForHost: isForHosts) }
        case .symbolicLink:
          remarks.append(
            ImportRemark(.loss, path: path, "is a symbolic link, which is not followed; name it to import it")
          )
          leaveOut(name, at: path, isForHost: isForHosts)
        case .pipe, .socket, .device:
          remarks.append(ImportRemark(.loss, path: path, "is \(kind) and was left out"))
          leaveOut(name, at: path, isForHost: isForHosts)
        case .regular where name == ImportedTree.singleFileName:
          singleFile = Entry(path: path)
        case .regular where isDomains:
          add(Entry(path: path, isForHost: isForHosts), named: name)
        case .regular:
          remarks.append(
            ImportRemark(
              .note, path: path, "was left out, since its name is no domain's; name it to import it"))
        }
      }
    } catch {
      throw .inputOutput(error, path: folder, "cannot be read")
    }
    if let hostFolder { try look(into: hostFolder, isForHosts: true, fileSystem: fileSystem) }
  }

  private mutating func add(_ entry: Entry, named name: String) {
    let domain = ImportedTree.domain(ofFileNamed: name, isForHost: entry.isForHost)
    entries[PropertyListKey(domain), default: []].append(entry)
  }

  private mutating func leaveOut(_ name: String, at path: String, isForHost: Bool) {
    if ImportedTree.isDomains(name) {
      add(Entry(path: path, isForHost: isForHost, isLeftOut: true), named: name)
    }
  }

  /// Whether a domain's file in a directory can have this name.
  private static func isDomains(_ name: String) -> Bool {
    hasExtension(name) || !name.utf8.contains(UInt8(ascii: "."))
  }

  private static func hasExtension(_ name: String) -> Bool {
    let suffix = fileExtension.utf8
    return name.utf8.count > suffix.count && name.utf8.suffix(suffix.count).elementsEqual(suffix)
  }

  private static func domain(ofFileNamed name: String, isForHost: Bool) -> String {
    // As this package's own export writes them; GNUstep and macOS have no domains with such names.
    let base =
      hasExtension(name)
      ? DomainName.unescaped(String(Substring(name.utf8.dropLast(fileExtension.utf8.count)))) : name
    // `com.apple.screensaver.01234567-89AB-CDEF-0123-456789ABCDEF`, or the host's hardware address.
    guard isForHost, let dot = base.utf8.lastIndex(of: UInt8(ascii: ".")), dot != base.utf8.startIndex,
      isHost(base.utf8[dot...].dropFirst())
    else { return base }
    return String(base[..<dot])
  }

  private static func isHost(_ text: Substring.UTF8View) -> Bool {
    let lengths = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map(\.count)
    let digits = text.filter { $0 != UInt8(ascii: "-") }
    return (lengths == [8, 4, 4, 4, 12] || lengths == [12])
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
  }
}
