import DefaultsTool
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

/// What holds for any domain, whatever its keys and values: seeded random ones.
struct CommandPropertiesTests {
  private let home: ToolHome

  init() throws {
    home = try ToolHome()
  }

  /// A random domain with at least one key.
  private func domain(_ random: inout RandomValues) -> PropertyList {
    while true {
      let value = random.dictionary()
      if case .dictionary(let entries) = value, !entries.isEmpty { return value }
    }
  }

  /// Puts a domain's file there.
  private func put(_ value: PropertyList, _ domain: String) throws {
    try Data(value.bytes(style: .openStep)).write(to: home.database.appendingPathComponent("\(domain).plist"))
  }

  /// A domain that has some of another's entries, some of them changed, and others of its own.
  private func changed(_ value: PropertyList, _ random: inout RandomValues) -> PropertyList {
    guard case .dictionary(var entries) = value, case .dictionary(let others) = domain(&random) else {
      return value
    }
    for key in entries.keys.sorted() {
      switch random.element(of: [0, 1, 2, 3]) {
      case 0: entries[key] = nil
      case 1:
        switch entries[key] {
        case .dictionary?: entries[key] = changed(entries[key] ?? [:], &random)
        case .array(let elements)?: entries[key] = .array(elements + [.string(random.string())])
        default: entries[key] = .string(random.string())
        }
      default: break
      }
    }
    for (key, value) in others where entries[key] == nil { entries[key] = value }
    return .dictionary(entries)
  }

  @Test("what is exported and imported is the same domain", arguments: 0..<10 as Range<UInt64>)
  func exportAndImport(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    for _ in 0..<10 {
      let value = domain(&random)
      try put(value, "T")
      let exported = home.run("export", "T", "-")
      #expect(exported.code == .done)
      let imported = home.run(["import", "-replace", "T2", "-"], input: Array(exported.output.utf8))
      #expect(imported.code == .done && imported.errors.isEmpty, "\(imported)")
      #expect(home.run("diff", "T", "T2") == .init(code: .done), "\(exported.output)")
      // The lines of “read” bring it back, too.
      let lines = home.run("read", "T").output
      #expect(home.run("delete", "T2").code == .done)
      #expect(home.run("write", "U", "k", "v").code == .done)
      #expect(home.run("delete", "T").code == .done)
      #expect(home.run("write", input: lines) == .init(code: .done))
      #expect(home.run("read", "T").output == lines)
      try put(value, "T2")
      #expect(home.run("diff", "T", "T2") == .init(code: .done), "\(lines)")
      #expect(home.run("delete", "T2").code == .done)
    }
  }

  @Test("the commands that “diff” prints make one domain into the other", arguments: 0..<6 as Range<UInt64>)
  func differences(seed: UInt64) throws {
    var random = RandomValues(seed: 1000 + seed)
    var script = ""
    for number in 0..<4 {
      let value = domain(&random)
      try put(value, "A\(number)")
      try put(changed(value, &random), "B\(number)")
      let style = number % 2 == 0 ? "" : "-macos "
      script += """
        defaults \(style)diff -to commands A\(number) B\(number) > lines
        bash -e lines; defaults diff A\(number) B\(number) || { echo \(number); cat lines; }

        """
    }
    let outcome = try home.shell(script)
    #expect(outcome == .init(status: 0), "\(outcome.output)\(outcome.errors)")
    // Directories are compared with the same result.
    let other = try ToolHome()
    let directories = try home.shell(
      "defaults diff -to commands \(other.path) $D > lines; bash -e lines; defaults diff \(other.path)")
    #expect(directories == .init(status: 0), "\(directories.output)\(directories.errors)")
  }

  @Test(
    "the lines that “watch” prints of random changes, run on an empty database, make the same",
    arguments: 0..<2 as Range<UInt64>)
  func watch(seed: UInt64) throws {
    var random = RandomValues(seed: 2000 + seed)
    let other = try ToolHome()
    var value = domain(&random)
    for number in 0..<6 {
      try Data(value.bytes(style: .openStep)).write(to: home.root.appendingPathComponent("\(number).plist"))
      value = changed(value, &random)
    }
    // The watcher is there when it has seen a first change, and has seen all when it has seen a last one. Its file is
    // made first, since the shell looks into it at once.
    let script = """
      : > lines
      defaults watch >> lines & watcher=$!
      tries=0; await() { until grep -q "$1" lines || [ $((tries += 1)) -gt 1200 ]; do $2; sleep 0.05; done; }
      start() { defaults write Start k $tries; }
      await Start start
      for number in 0 1 2 3 4 5; do defaults import -replace T $number.plist >imported; done
      defaults delete Start; defaults write End k v
      await " defaults write End k v$" :
      kill -KILL $watcher; sed "s|^OPENSTEP_DEFAULTS_DIR=$D ||" lines > plain
      OPENSTEP_DEFAULTS_DIR=\(other.path) bash plain 2>errors
      OPENSTEP_DEFAULTS_DIR=\(other.path) defaults export T copy
      defaults diff T ./copy || cat lines
      """
    let outcome = try home.shell(script)
    #expect(outcome == .init(status: 0), "\(outcome.output)\(outcome.errors)")
  }
}
