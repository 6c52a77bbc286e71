import BenchmarkKit
import Foundation
import OpenStepDefaults
import UserDefaultsCompat

/// What this program does in a process of its own, for rows about fresh or other processes.
enum Child: String {
  /// DIRECTORY KEYS: opens ours there and reads the keys of a file; prints nanoseconds and the peak of memory.
  case classic
  /// KEYS: opens Foundation's standard defaults and reads the keys of a file; prints nanoseconds.
  case foundation
  /// DIRECTORY: sets a stamp of the time and synchronizes, for each line of input.
  case writer
  /// DIRECTORY: observes a key of the database, and does nothing.
  case idle
  /// COUNT: fills ours in memory; prints by how many bytes the process grew.
  case memory
  /// KIND COUNT: reads 1,000 keys so often, as a row of instructions does.
  case reads
  /// COUNT: fills a dictionary; prints by how many bytes the process grew.
  case dictionary
  /// COUNT: makes and lets go of so many objects, each of another suite; prints by how many bytes the process grew.
  case suites

  /// The first argument of such a process.
  static let option = "-child"

  /// Runs a child's part if the arguments ask for one, and ends the process.
  static func runIfAsked(_ arguments: [String]) throws {
    guard arguments.first == option else { return }
    let rest = Array(arguments.dropFirst(2))
    guard arguments.count > 2, let child = Child(rawValue: arguments[1]), rest.count == child.argumentCount
    else { throw Absence("no such child: \(arguments)") }
    switch child {
    case .classic: try readClassic(directory: rest[0], keys: keys(rest[1]))
    case .foundation: try readFoundation(keys(rest[0]))
    case .writer: write(directory: rest[0])
    case .idle: idle(directory: rest[0])
    case .reads: read(rest[0], Int(rest[1]) ?? 0)
    case .memory: fillOurs(Int(rest[0]) ?? 0)
    case .dictionary: fillDictionary(Int(rest[0]) ?? 0)
    case .suites: openSuites(Int(rest[0]) ?? 0)
    }
    // What the parent made is still in use: no exit handler may run.
    fflush(nil)
    _exit(0)
  }

  private var argumentCount: Int { self == .classic || self == .reads ? 2 : 1 }

  private static func keys(_ file: String) throws -> [String] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// The domain of the fresh processes.
  static let domain = "Fresh"

  private static func readClassic(directory: String, keys: [String]) throws {
    let start = monotonicTime()
    let defaults = NSUserDefaults(directory: directory, applicationName: domain)
    let found = keys.count { defaults.objectForKey($0) != nil }
    let end = monotonicTime()
    guard found == keys.count else { throw Absence("\(found) of \(keys.count) keys found") }
    print(end - start, ProcessStatus.bytes("VmHWM"))
  }

  private static func readFoundation(_ keys: [String]) throws {
    let start = monotonicTime()
    let defaults = Foundation.UserDefaults.standard
    let found = keys.count { defaults.object(forKey: $0) != nil }
    let end = monotonicTime()
    guard found == keys.count else { throw Absence("\(found) of \(keys.count) keys found") }
    print(end - start)
  }

  /// The key whose value is the time at which it was set.
  static let stampKey = "Stamp"

  private static func write(directory: String) {
    let defaults = NSUserDefaults(directory: directory, applicationName: domain)
    while readLine() != nil {
      defaults.setObject("\(monotonicTime())", forKey: stampKey)
      print(defaults.synchronize() ? 1 : 0)
      fflush(nil)
    }
  }

  private static func idle(directory: String) {
    let defaults = UserDefaultsCompat.UserDefaults(directory: directory, applicationName: domain)
    let observation = defaults.observe("Columns") { _, _ in }
    print(1)
    fflush(nil)
    _ = readLine()
    observation.invalidate()
  }

  private static func read(_ kind: String, _ count: Int) {
    guard let kind = InstructionRows.Kind(rawValue: kind) else { return }
    print(kind.timeReads(count))
  }

  private static func fillOurs(_ count: Int) {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: domain)
    var pairs = TestPairs()
    let before = ProcessStatus.bytes("VmRSS")
    for _ in 0..<count {
      let (key, value) = pairs.next()
      defaults.setObject(value, forKey: key)
    }
    print(ProcessStatus.bytes("VmRSS") - before)
    withExtendedLifetime(defaults) {}
  }

  private static func openSuites(_ count: Int) {
    func open(_ kind: String) {
      for number in 0..<count {
        let suite = UserDefaultsCompat.UserDefaults(suiteName: "\(kind) suite \(number)")
        blackHole(suite?.integer(forKey: "key") ?? 0)
      }
    }
    // What is made once for all is none of theirs.
    open("first")
    let before = ProcessStatus.bytes("VmRSS")
    open("second")
    print(ProcessStatus.bytes("VmRSS") - before)
  }

  private static func fillDictionary(_ count: Int) {
    var dictionary: [String: String] = [:]
    var pairs = TestPairs()
    let before = ProcessStatus.bytes("VmRSS")
    for _ in 0..<count {
      let (key, value) = pairs.next()
      dictionary[key] = value
    }
    print(ProcessStatus.bytes("VmRSS") - before)
    withExtendedLifetime(dictionary) {}
  }
}
