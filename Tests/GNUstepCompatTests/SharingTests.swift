import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

@testable import GNUstepCompat

/// One database, used by GNUstep's programs and by this package's at the same time.
@Suite(
  .serialized, .enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)))
struct SharingTests {
  private let shared: GNUstepHome
  private let database: UserDatabase
  private let app: DomainName

  init() throws {
    shared = try GNUstepHome()
    database = UserDatabase(directory: shared.directory, dialect: .gnustep)
    app = try DomainName("App")
  }

  /// 200 values of every type that GNUstep holds.
  private static var values: [PropertyListKey: PropertyList] {
    get throws {
      var random = RandomValues(seed: 6, range: .gnustep)
      var values: [PropertyListKey: PropertyList] = [:]
      while values.count < 200 {
        guard case .dictionary(let entries) = random.dictionary() else { continue }
        for value in entries.values where values.count < 200 && isKept(value) {
          values[PropertyListKey("key \(values.count)")] = value
        }
      }
      return values
    }
  }

  /// What survives GNUstep 1.28's own saving: it destroys characters beyond the basic plane, takes `\U` for an
  /// escape, and writes numbers with fifteen digits.
  static func isKept(_ value: PropertyList) -> Bool {
    switch value {
    case .string(let text):
      !text.contains("\\U") && text.unicodeScalars.allSatisfy { $0.value < 0x10000 }
    case .real(let number): Double(String(format: "%.15g", number)) == number
    case .float: false
    case .integer(let number): number.exactly(as: Int64.self) != nil
    case .array(let elements): elements.allSatisfy(isKept)
    case .dictionary(let entries):
      entries.allSatisfy { isKept(.string($0.key.text)) && !$0.key.text.isEmpty && isKept($0.value) }
    case .data, .boolean, .date: true
    }
  }

  @Test("what GNUstep's defaults writes is read equal, with its types")
  func theirsRead() throws {
    let values = try SharingTests.values
    for (key, value) in values {
      try shared.gnustepDefaults("write", "App", key.text, try value.text(style: .gnustep))
    }
    let loaded = try database.load(app)
    #expect(loaded.damage == nil && loaded.values.count == 200)
    for (key, value) in values { #expect(loaded.values[key] == value, "\(key.text)") }
  }

  @Test("what is written here GNUstep reads equal, with its types")
  func oursRead() throws {
    let values = try SharingTests.values
    var changes = DomainChanges()
    for (key, value) in values { changes.set(value, for: key) }
    _ = try database.commit(changes, to: app, onDamage: .refuse)
    let program = try GNUstepProgram("defaults", named: "Probe")
    let output = try program.run(["dump", "App"], environment: shared.environment)
    let read = try PropertyList(tagged: JSONValue(parsing: output.dropLast()))
    #expect(read == .dictionary(values))
    let listing = try shared.gnustepDefaults("read", "App")
    #expect(listing.split(separator: "\n").filter { $0.hasPrefix("App ") }.count == 200)
  }

  /// GNUstep's NSMenu keeps the places of moved menus under keys that begin with U+001B.
  @Test("a domain with moved menus stays the XML that GNUstep writes, whoever saves it")
  func movedMenus() throws {
    let menus = #"{"\U001B" = "0 0 1 100"; "\U001BInfo" = "5 6 7 8"; "\U001BInfo\U001BHelp" = "<&>"; }"#
    try shared.gnustepDefaults("write", "App", "NSMenuLocations", menus)
    let file = URL(fileURLWithPath: shared.directory + "/App.plist")
    #expect(try String(contentsOf: file, encoding: .utf8).contains(#"<key>\U001BInfo\U001BHelp</key>"#))
    let expected: [PropertyListKey: PropertyList] = [
      "NSMenuLocations": ["\u{1B}": "0 0 1 100", "\u{1B}Info": "5 6 7 8", "\u{1B}Info\u{1B}Help": "<&>"]
    ]
    #expect(try database.load(app).values == expected)
    let found = try Data(contentsOf: file)
    try commit(["Count": .integer(5)])
    #expect(try database.load(app).values == expected.merging(["Count": .integer(5)]) { $1 })
    #expect(try shared.gnustepDefaults("read", "App", "Count") == "App Count 5\n")
    try commit(["Count": nil])
    #expect(try Data(contentsOf: file) == found)
    // GNUstep's save of what was written here.
    try shared.gnustepDefaults("write", "App", "Count", "<*I5>")
    try shared.gnustepDefaults("delete", "App", "Count")
    #expect(try Data(contentsOf: file) == found)
    #expect(try database.load(app).values == expected)
  }

  // Such a domain became typed text.
  @Test("a text that GNUstep would take for an escape is read equal by GNUstep, from XML")
  func escapeTexts() throws {
    let texts = [
      #"C:\U0041"#, #"\U001B"#, #"\\U00e9\U00E9"#, #"\U005CU0041"#, "\u{1B}\\U0041", #"<\U0041>"#,
      #"\Users\U12"#,
    ]
    let values = Dictionary(
      uniqueKeysWithValues: texts.map { (PropertyListKey("k" + $0), PropertyList.array([.string($0)])) })
    try commit(values.mapValues { $0 })
    let file = URL(fileURLWithPath: shared.directory + "/App.plist")
    #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("<?xml"))
    let program = try GNUstepProgram("defaults", named: "Probe")
    let output = try program.run(["dump", "App"], environment: shared.environment)
    #expect(try PropertyList(tagged: JSONValue(parsing: output.dropLast())) == .dictionary(values))
    #expect(try database.load(app).values == values)
  }

  @Test("GNUstep's own save of such a text keeps it for this package, and GNUstep reads another")
  func escapeTextsSaved() throws {
    try commit(["Path": #"C:\U0041"#])
    try shared.gnustepDefaults("write", "App", "Other", "x")
    #expect(try database.load(app).values == ["Path": #"C:\U0041"#, "Other": "x"])
    #expect(try shared.gnustepDefaults("read", "App", "Path") == "App Path C:A\n")
    // This package's next save makes it whole again.
    try commit(["Other": nil])
    #expect(try shared.gnustepDefaults("read", "App", "Path") == "App Path C:\\U0041\n")
  }

  private func commit(_ values: [PropertyListKey: PropertyList?]) throws {
    var changes = DomainChanges()
    changes.merge(values)
    _ = try database.commit(changes, to: app, onDamage: .refuse)
  }

  /// Runs a body again where it is refused because others had the lock for two seconds, which is how long a write waits:
  /// on a busy machine seven others, with as many processes, may need longer.
  private static func repeating(until deadline: ContinuousClock.Instant, _ body: () throws -> Void) throws {
    while true {
      do {
        return try body()
      } catch let failure as GNUstepProgram.Failure where failure.status == 3 && .now < deadline {
        continue
      }
    }
  }

  @Test("four GNUstep programs and four of ours with fifty keys each in one domain leave four hundred")
  func race() async throws {
    let program = try GNUstepProgram("defaults", named: "App")
    let environment = shared.environment
    let own = GNUstepHome.ownDefaults
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<4 {
        group.addTask {
          try await onThread {
            _ = try program.run(["race", "theirs-\(index)", "50"], environment: environment)
          }
        }
        group.addTask {
          try await onThread {
            for key in 0..<50 {
              try SharingTests.repeating(until: .now + .seconds(300)) {
                _ = try GNUstepProgram.run(
                  own, ["-gnustep", "write", "App", "ours-\(index)-\(key)", "\(key)"],
                  environment: environment)
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let values = try database.load(app).values
    for index in 0..<4 {
      for key in 0..<50 {
        #expect(
          values[PropertyListKey("theirs-\(index)-\(key)")] == .integer(PropertyListInteger(Int64(key))))
        #expect(values[PropertyListKey("ours-\(index)-\(key)")] == .string("\(key)"))
      }
    }
  }

  @Test(
    "a GNUstep program that is open sees a change of ours after its synchronize, and we its changes with no call"
  )
  func live() async throws {
    let program = try GNUstepProgram("defaults", named: "App")
    let conversation = try Conversation(program.url, environment: shared.environment)
    defer { conversation.end() }
    let defaults = OwnThreadDefaults(sharing: shared.directory)
    defaults.setObject("1", forKey: "k")
    #expect(defaults.synchronize())
    #expect(try conversation.ask("sync") == "ok")
    #expect(try conversation.ask("get k") == #"{"s":"1"}"#)
    #expect(try conversation.ask("set k 2") == "ok")
    #expect(try conversation.ask("sync") == "ok")
    let deadline = ContinuousClock.now + .seconds(300)
    while defaults.stringForKey("k") != "2", ContinuousClock.now < deadline {
      // The class posts nothing before its next synchronize; to ask is all that a program can do.
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(defaults.stringForKey("k") == "2")
  }

  @Test("a GNUstep program that is killed with the lock makes us wait two seconds, and loses nothing")
  func killed() throws {
    let program = try GNUstepProgram("defaults", named: "App")
    try FileManager.default.createDirectory(
      atPath: shared.directory + "/.lck", withIntermediateDirectories: true)
    let holder = try Conversation(program.url, ["hold"], environment: shared.environment)
    #expect(try holder.line() == "locked")
    holder.end()
    let defaults = NSUserDefaults(gnustepDirectory: shared.directory, applicationName: "App", arguments: [])
    defaults.setObject("kept", forKey: "k")
    let lateness = Lateness(in: shared.directory)
    let start = ContinuousClock.now
    #expect(!defaults.synchronize())
    #expect(ContinuousClock.now - start < .seconds(4) + lateness.total)
    #expect("\(defaults.lastError.map { "\($0)" } ?? "")".contains("a GNUstep program has held the lock"))
    #expect(defaults.stringForKey("k") == "kept")
    // As if twenty seconds and more had gone by.
    let lock = shared.directory + "/.lck/.GNUstepDefaults.lck"
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -21)], ofItemAtPath: lock)
    #expect(defaults.synchronize())
    #expect(!FileManager.default.fileExists(atPath: lock))
    #expect(try shared.gnustepDefaults("read", "App", "k") == "App k kept\n")
  }
}

/// OPENSTEP's class on GNUstep's files, which the synchronize of every thirty seconds does not reach.
private final class OwnThreadDefaults: NSUserDefaults, @unchecked Sendable {
  // Unchecked like its superclass; its own state is constant.
  private let thread = Thread.current

  init(sharing directory: String) {
    super.init(
      domains: GNUstepDatabase.inDirectory(directory).domains, applicationName: "App", arguments: [])
  }

  override func synchronize() -> Bool {
    Thread.current === thread ? super.synchronize() : true
  }
}

/// Runs what waits for other processes away from the threads that the tests' tasks share.
private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}
