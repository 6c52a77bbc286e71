import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsTool

/// What `watch` keeps of the domains, without the process that waits for changes.
struct WatchedStateTests {
  private final class Reported {
    var text = ""
  }

  private let home: ToolHome
  private let database: UserDatabase
  private let context: CommandContext
  private let reported = Reported()

  init() throws {
    home = try ToolHome()
    database = UserDatabase(directory: home.path)
    let reported = reported
    context = CommandContext(
      environment: { _ in nil }, input: { [] },
      output: CommandOutput(
        standardOutput: { _ in }, standardError: { reported.text += String(decoding: $0, as: UTF8.self) }),
      ask: nil)
  }

  /// The lines that a look prints, and then those that it reports.
  private func look(_ state: inout WatchedState) throws -> [String] {
    var lines: [String] = []
    reported.text = ""
    try state.look(at: database, nil) { lines += $2 }
    return lines + reported.text.split(separator: "\n").map(String.init)
  }

  // The watched domain was read whenever a file beside it changed.
  @Test("a look at other domains does not read the watched one")
  func otherDomains() throws {
    try home.write("{ a = 1; }", to: "App.plist")
    let name = try DomainName("App")
    var state = WatchedState(domain: name, in: context)
    try state.look(at: database, nil, telling: nil)
    try home.write("{ a = 2; }", to: "App.plist")
    var lines: [String] = []
    try state.look(at: database, [try DomainName("Other")]) { lines += $2 }
    #expect(lines == [])
    try state.look(at: database, [name]) { lines += $2 }
    #expect(lines.count == 1 && lines[0].hasSuffix("defaults write App a 2"), "\(lines)")
  }

  @Test(
    "values that do not fit are told of once; when they fit, they are compared with the last ones that did")
  func bound() throws {
    let long = String(repeating: "x", count: 3000)
    try home.write("{ a = 1; }", to: "App.plist")
    try home.write("{ a = \(long); }", to: "Long.plist")
    var state = WatchedState(upTo: 2000, in: context)
    try state.look(at: database, nil, telling: nil)
    let problem =
      ".plist: its values do not fit into the 0 MB that are kept of all domains; its changes are not shown "
      + "while that is so"
    #expect(reported.text == "defaults: \(home.path)/Long\(problem)\n")
    var lines = try look(&state)
    #expect(lines == [])
    try home.write("{ a = \(long); b = \(long); }", to: "App.plist")
    try home.write("{ c = 1; }", to: "Long.plist")
    lines = try look(&state)
    #expect(lines == ["defaults write Long c 1", "defaults: \(home.path)/App\(problem)"])
    try home.write("{ a = 1; b = 2; }", to: "App.plist")
    lines = try look(&state)
    #expect(lines == ["defaults write App b 2"])
    // What is removed makes room.
    for name in ["App", "Long"] { try FileManager.default.removeItem(atPath: "\(home.path)/\(name).plist") }
    lines = try look(&state)
    #expect(lines == ["defaults delete App", "defaults delete Long"])
    try home.write("{ a = \(long.prefix(1200)); }", to: "New.plist")
    lines = try look(&state)
    #expect(lines == ["defaults write New a \(long.prefix(1200))"])
  }

  // A look at everything read it as a whole each time, where files are polled four times a second.
  @Test("a damaged file is read again only when it has changed")
  func damagedFile() throws {
    try home.write("{ a = 1; broken", to: "App.plist")
    // A file that was written just now may change once more with the same time.
    let disk = FaultyFileSystem(secondsAhead: 60)
    let database = UserDatabase(directory: home.path, fileSystem: disk)
    func openCount() -> Int {
      disk.operations.count { $0.name.hasPrefix("open") && $0.path?.hasSuffix("App.plist") ?? false }
    }
    var state = WatchedState(in: context)
    var lines: [String] = []
    try state.look(at: database, nil, telling: nil)
    #expect(reported.text.contains("App.plist:1:"))
    let count = openCount()
    #expect(count > 0)
    reported.text = ""
    for _ in 0..<3 { try state.look(at: database, nil) { lines += $2 } }
    #expect(openCount() == count && lines == [] && reported.text == "")
    try home.write("{ a = 1; }", to: "App.plist")
    try state.look(at: database, nil) { lines += $2 }
    #expect(lines == ["defaults write App a 1"])
  }

  // The problems of files that are gone were kept for good, so that whoever made and removed them filled the memory.
  @Test("of a damaged file that is gone nothing is kept, nor of one whose values do not fit")
  func goneFiles() throws {
    var state = WatchedState(upTo: 2000, in: context)
    try state.look(at: database, nil, telling: nil)
    for text in ["{ a", "{ a = \(String(repeating: "x", count: 3000)); }"] {
      for _ in 0..<2 {
        try home.write(text, to: "App.plist")
        let lines = try look(&state)
        #expect(lines.count == 1 && lines[0].hasPrefix("defaults: \(home.path)/App.plist:"), "\(lines)")
        try FileManager.default.removeItem(atPath: "\(home.path)/App.plist")
        #expect(try look(&state) == [])
      }
    }
  }

  @Test("the watcher's thread goes on when the domains that it told of have been looked at")
  func handedOver() throws {
    let changed = WatchCommand.ChangedDomains()
    let name = try DomainName("App")
    let steps = Lock<[String]>([])
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for names in [nil, Set([name])] {
        changed.tell(names)
        steps.withLock { $0.append("told") }
      }
      isOver.signal()
    }
    #expect(changed.take() == nil)
    // The first is told when the second is asked for.
    steps.withLock { $0.append("looked") }
    #expect(changed.take() == [name])
    steps.withLock { $0.append("looked") }
    changed.end()
    isOver.wait()
    #expect(steps.withLock { $0 } == ["looked", "told", "looked", "told"])
  }

  @Test("of a domain of which one key is followed, the others take no room")
  func key() throws {
    try home.write("{ a = 1; b = \(String(repeating: "x", count: 3000)); }", to: "App.plist")
    var state = WatchedState(
      domain: try DomainName("App"), key: "a", path: PropertyListPath([PropertyListPath.Step.key("a")]),
      upTo: 2000, in: context)
    try state.look(at: database, nil, telling: nil)
    try home.write("{ a = 2; b = 3; }", to: "App.plist")
    let lines = try look(&state)
    #expect(lines == ["defaults write App a 2"])
  }

  #if os(Linux)
    @Test("texts that end in holes are not kept", .timeLimit(.minutes(30)))
    func holes() async {
      await #expect(processExitsWith: .success) {
        let tests = try WatchedStateTests()
        var state = WatchedState(in: tests.context)
        func look(upTo count: Int) throws -> Int {
          for number in 0..<count {
            try tests.home.write("{ a = b; }\n", withHoleUpTo: 8 << 20, to: "D\(number).plist")
          }
          try state.look(at: tests.database, nil, telling: nil)
          return try peakMemory()
        }
        let few = try look(upTo: 2)
        let many = try look(upTo: 16)
        #expect(many - few < 40 << 20, "\(many - few) bytes for 14 files of 8 MB")
        try tests.home.write("{ a = c; }", to: "D9.plist")
        let lines = try tests.look(&state)
        #expect(lines == ["defaults write D9 a c"])
      }
    }
  #endif
}
