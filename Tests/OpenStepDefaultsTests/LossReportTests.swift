import DefaultsDatabase
import DefaultsDomains
import Foundation
import TestSupport
import Testing

@testable import OpenStepDefaults

/// What a process says at its normal end of changes that could not be saved.
///
/// Each calls `exit`, since a test's process that returns has closed its standard error before.
struct LossReportTests {
  private let home: TemporaryHome
  /// A directory that nobody can make, not even the administrator: a file is in the way.
  private var path: String { home.path("file/Defaults") }

  init() throws {
    home = try TemporaryHome()
    try Data("in the way".utf8).write(to: URL(fileURLWithPath: home.path("file")))
  }

  /// The lines that the library printed.
  private func lines(_ result: ExitTest.Result?) throws -> [String] {
    String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      .split(separator: "\n").map(String.init).filter { $0.contains("OpenStepDefaults: ") }
  }

  @Test("one line names each domain, how many of its keys are lost, and the reason")
  func line() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [path = path as String] in
      let defaults = NSUserDefaults(directory: path, applicationName: "App\u{1B}\n")
      defaults.setObject("a", forKey: "A")
      defaults.setObject("b", forKey: "B")
      NSUserDefaults(directory: path, applicationName: "Other").setObject("c", forKey: "C")
      // What nobody looks at is no answer.
      defaults.synchronize()
      exit(0)
    }
    let lines = try lines(result)
    try #require(
      lines.count == 1, "\(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))")
    #expect(
      lines[0].hasPrefix(
        "OpenStepDefaults: 2 changed keys of the domain “App\\u{1B}\\n” could not be saved: \(path)"))
    #expect(lines[0].contains("; 1 changed key of the domain “Other” could not be saved: \(path)"))
    #expect(lines[0].contains(SystemError.notADirectory.description))
  }

  @Test("what is changed in an exit handler and lost is said as well")
  func exitHandler() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(3), observing: [\.standardErrorContent]
    ) { [path = path as String] in
      setenv("LOSS_REPORT_PATH", path, 1)
      // Registered before the library's own handler, and so run after it.
      atexit {
        guard let path = ProcessInfo.processInfo.environment["LOSS_REPORT_PATH"] else { return }
        NSUserDefaults(directory: path, applicationName: "App").setObject("a", forKey: "A")
      }
      _ = NSUserDefaults(directory: path + "2", applicationName: "App").objectForKey("A")
      exit(3)
    }
    #expect(try lines(result).count == 1)
  }

  @Test("a process that loses nothing says nothing")
  func silence() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [path = home.path as String] in
      NSUserDefaults(directory: path, applicationName: "App").setObject("a", forKey: "A")
      NSUserDefaults(directory: path + "/none", applicationName: "App").removeObjectForKey("A")
      exit(0)
    }
    #expect(try lines(result).isEmpty)
  }

  @Test("a program that asked why, or reads the errors, is not told again", arguments: [false, true])
  func askingProgram(readsErrors: Bool) async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [path = path as String, readsErrors = readsErrors as Bool] in
      let defaults = NSUserDefaults(directory: path, applicationName: "App")
      let errors = readsErrors ? ErrorReports.shared.stream() : nil
      defaults.setObject("a", forKey: "A")
      if !readsErrors, !defaults.synchronize() { _ = defaults.lastError }
      if let errors {
        let (isRunning, continuation) = AsyncStream.makeStream(of: Void.self)
        Task {
          continuation.yield()
          for await _ in errors {}
        }
        for await _ in isRunning { break }
      }
      exit(0)
    }
    #expect(try lines(result).isEmpty)
  }
}
