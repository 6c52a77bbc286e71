import BenchmarkKit
import Foundation

/// Where the benchmark has its files, and the peers that it works with.
final class Workbench {
  /// Tells a process that its home folder is a temporary one already.
  private static let variable = "OPENSTEP_BENCHMARKS_HOME"

  /// A directory that goes when the process ends, and is the home folder of this process and its children.
  let directory: URL
  let isBrief: Bool
  /// The path of this program.
  let program: URL

  private var startedGNUstep: Result<GNUstepPeer, Absence>?
  private var startedPython: [PythonPeer.Module: Result<PythonPeer, Absence>] = [:]

  /// Takes the home folder that ``enter(directory:)`` made.
  init(isBrief: Bool) throws {
    guard let home = ProcessInfo.processInfo.environment[Workbench.variable] else {
      throw Absence("the process has no home folder of its own")
    }
    directory = URL(fileURLWithPath: home)
    self.isBrief = isBrief
    program = try Workbench.ownProgram()
    // Registered before any defaults object registers its own handler, this one runs behind it: a
    // change that is saved at exit would make the directory again.
    atexit {
      guard let home = getenv(Workbench.variable) else { return }
      do {
        try FileManager.default.removeItem(atPath: String(cString: home))
      } catch {
        FileHandle.standardError.write(Data("benchmarks: left behind: \(error)\n".utf8))
      }
    }
  }

  private static func ownProgram() throws -> URL {
    #if os(Linux)
      return URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    #else
      return URL(fileURLWithPath: CommandLine.arguments[0])
    #endif
  }

  /// Starts this program anew, with a home folder inside a directory, unless it has been.
  ///
  /// Foundation asks for the home folder once, early, and would else write to the user's own defaults.
  static func enter(directory: String?) throws {
    guard getenv(variable) == nil else { return }
    let parent = URL(fileURLWithPath: directory ?? ".").path
    // `mkdtemp` fills the place of six such letters.
    var template = Array("\(parent)/.benchmarks-\(String(repeating: "X", count: 6))".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Options.Mistake("cannot make a directory in \(parent): \(String(cString: strerror(errno)))")
    }
    let home = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    for name in [variable, "HOME", "CFFIXED_USER_HOME"] { setenv(name, home, 1) }
    setenv("XDG_CONFIG_HOME", home + "/.config", 1)
    setenv("OPENSTEP_DEFAULTS_DIR", home + "/standard", 1)
    setenv("GNUSTEP_CONFIG_FILE", home + "/GNUstep.conf", 1)
    try "GNUSTEP_USER_DEFAULTS_DIR=\(home)/GNUstep\n"
      .write(toFile: home + "/GNUstep.conf", atomically: false, encoding: .utf8)
    chmod(home + "/GNUstep.conf", 0o644)
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv(try ownProgram().path, &arguments)
    throw Absence("cannot start the program anew: \(String(cString: strerror(errno)))")
  }

  /// Whether the files lie on a disk, and not in memory, where to flush them costs nothing.
  var isOnDisk: Bool { !["tmpfs", "ramfs"].contains(fileSystem) }

  /// The kind of the file system with the files; nil where the system has no list of mounts.
  var fileSystem: String? {
    var status = stat()
    // A line is `36 35 98:0 /mnt1 /mnt2 rw - tmpfs none rw`: the device third, the kind behind the hyphen.
    guard stat(directory.path, &status) == 0,
      let mounts = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
    else { return nil }
    let device = "\(status.st_dev >> 8 & 0xfff):\(status.st_dev & 0xff)"
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 2, fields[2] == device, let hyphen = fields.firstIndex(of: "-") else { continue }
      return String(fields[hyphen + 1])
    }
    return nil
  }

  /// A new directory for one row.
  func folder(_ name: String) throws -> URL {
    let folder = directory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// A file with keys, one a line, for those who are no part of this process.
  func file(of keys: [String]) throws -> String {
    let file = directory.appendingPathComponent("keys")
    try keys.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }

  /// So many of something, or few where the rows only have to run.
  func size(_ full: Int, brief: Int) -> Int { isBrief ? brief : full }

  /// GNUstep's program, started when it is first needed.
  func gnustep() -> Result<GNUstepPeer, Absence> {
    let result = startedGNUstep ?? GNUstepPeer.start()
    startedGNUstep = result
    return result
  }

  /// The peers that were needed and are there, with their versions.
  func peers() throws -> [String] {
    var peers = startedPython.values.compactMap { try? $0.get().version }.sorted()
    if case .success(let gnustep) = startedGNUstep { peers.insert(try gnustep.version(), at: 0) }
    return peers
  }

  /// The program of a Python module, started when it is first needed.
  func python(_ module: PythonPeer.Module) -> Result<PythonPeer, Absence> {
    let result = startedPython[module] ?? PythonPeer.start(module)
    startedPython[module] = result
    return result
  }
}

/// Why something cannot be measured.
struct Absence: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
