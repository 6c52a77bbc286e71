import BenchmarkKit
import Foundation
import OpenStepDefaults
import UserDefaultsCompat

/// What grows with the number of suites, objects, domains, files and directories, and what must not: each row has ours
/// with ten times as many beside ours with n, or with many beside a few.
enum ScaleRows {
  private typealias UserDefaults = UserDefaultsCompat.UserDefaults

  static func all(_ bench: Workbench) -> [Row] {
    [
      suites(bench), setBesideObjects(bench), setBesideObservers(bench), synchronizeBesideDomains(bench),
      directories(bench), directoryThreads(bench), directoryInstances(bench), volatileDomain(bench),
      watch(bench), register(bench), suitesLetGo(bench),
    ]
  }

  /// A row of ours with many beside ours with fewer.
  private static func row(
    _ name: String, _ bench: Workbench, many: Int, fewer: Int, repetitions: Int = 5,
    _ prepare: @escaping (_ count: Int, _ folder: URL) throws -> Contender.Work
  ) -> Row {
    Row(name, repetitions: repetitions) {
      let folder = try bench.folder(name)
      func work(_ count: Int) throws -> Contender.Work {
        let place = folder.appendingPathComponent(String(count))
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return try prepare(count, place)
      }
      let count = bench.size(many, brief: fewer)
      return [
        Contender("ours", .ours, try work(count)),
        Contender("with \(fewer)", .limit, try work(fewer)),
      ]
    }
  }

  /// Times a body once.
  private static func once(_ body: @escaping () throws -> Void) -> Contender.Work {
    .value {
      try time(1) {
        try body()
        return 1
      }
    }
  }

  private static func suites(_ bench: Workbench) -> Row {
    row("add and remove 10,000 suites", bench, many: 10_000, fewer: 1000) { count, folder in
      let defaults = UserDefaults(directory: folder.path, applicationName: "App")
      let observation = defaults.observe("observed") { _, _ in }
      let names = (0..<count).map { "suite \($0)" }
      return once {
        for name in names { defaults.addSuite(named: name) }
        blackHole(defaults.integer(forKey: "absent"))
        for name in names { defaults.removeSuite(named: name) }
        withExtendedLifetime(observation) {}
      }
    }
  }

  private static func setBesideObjects(_ bench: Workbench) -> Row {
    row("set beside 10,000 objects on its directory", bench, many: 10_000, fewer: 10) { count, folder in
      let objects = (0..<count).map { _ in UserDefaults(directory: folder.path, applicationName: "App") }
      var number = 0
      return .passes(operations: 1) { count in
        time(count) {
          number += 1
          objects[0].set(number, forKey: "key")
          return number
        }
      }
    }
  }

  private static func setBesideObservers(_ bench: Workbench) -> Row {
    row("set beside 10,000 observers of other keys and suites", bench, many: 10_000, fewer: 10) {
      count, folder in
      let defaults = UserDefaults(directory: folder.path, applicationName: "App")
      let others = (0..<count).map { number in
        // Half of them observe other keys of the same domain, and half the same key of another domain.
        UserDefaults(directory: folder.path, applicationName: number % 2 == 0 ? "App" : "Other \(number)")
      }
      let observations = others.enumerated().map { number, object in
        object.observe(number % 2 == 0 ? "other \(number)" : "key") { _, _ in }
      }
      var number = 0
      return .passes(operations: 1) { count in
        time(count) {
          number += 1
          defaults.set(number, forKey: "key")
          return withExtendedLifetime((others, observations)) { number }
        }
      }
    }
  }

  private static func synchronizeBesideDomains(_ bench: Workbench) -> Row {
    row("synchronize with nothing to do beside 10,000 known domains", bench, many: 10_000, fewer: 10) {
      count, folder in
      let others = (0..<count).map { UserDefaults(directory: folder.path, applicationName: "domain \($0)") }
      let defaults = NSUserDefaults(directory: folder.path, applicationName: "App")
      return .passes(operations: 1) { count in
        time(count) { withExtendedLifetime(others) { defaults.synchronize() ? 1 : 0 } }
      }
    }
  }

  // MARK: - Directories

  private static func open(_ count: Int, in folder: URL) throws -> [UserDefaults] {
    try (0..<count).map { number in
      let place = folder.appendingPathComponent(String(number))
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      return UserDefaults(directory: place.path, applicationName: "App")
    }
  }

  private static func directories(_ bench: Workbench) -> Row {
    row("open and let go 10,000 directories", bench, many: 10_000, fewer: 1000, repetitions: 3) {
      count, folder in
      once { _ = try open(count, in: folder) }
    }
  }

  private static func directoryThreads(_ bench: Workbench) -> Row {
    Row("threads for 1,000 directories with changes", unit: .times, repetitions: 3) {
      let folder = try bench.folder("threads")
      return [
        .ours(value: {
          let objects = try open(bench.size(1000, brief: 10), in: folder)
          let start = Date()
          for object in objects { object.set(start.timeIntervalSince1970, forKey: "key") }
          var most = 0
          // Longer than from a change to its save.
          while Date().timeIntervalSince(start) < 0.5 { most = max(most, ProcessStatus.threads()) }
          return withExtendedLifetime(objects) { Double(most) }
        })
      ]
    }
  }

  private static func directoryInstances(_ bench: Workbench) -> Row {
    Row("sources of events for 1,000 directories", unit: .times, repetitions: 3) {
      let folder = try bench.folder("instances")
      return [
        .ours(value: {
          let objects = try open(bench.size(1000, brief: 10), in: folder)
          return withExtendedLifetime(objects) { Double(ProcessStatus.eventSources()) }
        })
      ]
    }
  }

  // MARK: - Files

  private static func fill(_ folder: URL, with count: Int) throws {
    for number in 0..<count {
      try Data("{key = value; }\n".utf8).write(to: folder.appendingPathComponent("domain \(number).plist"))
    }
  }

  private static func volatileDomain(_ bench: Workbench) -> Row {
    row("setVolatileDomain beside 10,000 files", bench, many: 10_000, fewer: 10) { count, folder in
      try fill(folder, with: count)
      let defaults = NSUserDefaults(directory: folder.path, applicationName: "App")
      return .passes(operations: 1) { count in
        try time(count) {
          try defaults.setVolatileDomain(["key": "value"], forName: "volatile")
          defaults.removeVolatileDomainForName("volatile")
          return 1
        }
      }
    }
  }

  private static func register(_ bench: Workbench) -> Row {
    row("register 10,000 keys one by one, classic", bench, many: 10_000, fewer: 1000) { count, _ in
      let names = (0..<count).map { "key \($0)" }
      return once {
        let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
        for name in names { defaults.registerDefaults([name: "value"]) }
        blackHole(defaults.integerForKey("absent"))
      }
    }
  }

  private static func watch(_ bench: Workbench) -> Row {
    row(
      "change to a line of “defaults watch” beside 10,000 files", bench, many: 10_000, fewer: 10,
      repetitions: 25
    ) {
      count, folder in
      let tool = bench.program.deletingLastPathComponent().appendingPathComponent("defaults")
      guard FileManager.default.isExecutableFile(atPath: tool.path) else {
        return .absent("the tool is not built")
      }
      try fill(folder, with: count)
      let defaults = NSUserDefaults(directory: folder.path, applicationName: "watched")
      let child = try LineProcess(
        URL(fileURLWithPath: "/usr/bin/env"),
        ["OPENSTEP_DEFAULTS_DIR=\(folder.path)", tool.path, "watch", "watched"], endsWithInput: false)
      var number = 0
      /// Changes the domain, and waits for the line that tells of it.
      func change() throws -> Double {
        number += 1
        defaults.setInteger(number, forKey: "key")
        guard defaults.synchronize() else { throw Absence("cannot save in \(folder.path)") }
        return Double(monotonicTime())
      }
      // What changes before the tool watches is no change, and the tool does not tell when it begins to watch.
      Thread.sleep(forTimeInterval: 1)
      return .value {
        let saved = try change()
        _ = try child.line()
        return Double(monotonicTime()) - saved
      }
    }
  }

  private static func suitesLetGo(_ bench: Workbench) -> Row {
    Row("memory of 10,000 distinct suites let go", unit: .megabytes, repetitions: 3) {
      [
        .ours(value: {
          let count = bench.size(10_000, brief: 10)
          return try LineProcess.numbers(
            bench.program, [Child.option, Child.suites.rawValue, String(count)])[0] / 1e6
        })
      ]
    }
  }
}
