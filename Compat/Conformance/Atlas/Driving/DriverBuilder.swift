import Dispatch
import Foundation

/// A driver that does not start, or does not speak the protocol.
struct BrokenDriver: Error, CustomStringConvertible {
  let description: String

  init(_ driver: Driver, _ reason: String, complaint: String = "") {
    let lines = complaint.split(separator: "\n").prefix(20).map { "\n  \($0)" }
    description = "the driver \(driver.id) \(reason)\(lines.joined())"
  }
}

/// Makes drivers' programs where they must be made, and checks that they start.
final class DriverBuilder {
  private let folder: URL
  /// The seconds that a build, or the command for a version, may take.
  private static let limit: TimeInterval = 300

  init() {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "conformance-build-\(UUID().uuidString)")
  }

  deinit {
    // A directory that cannot be removed is temporary anyway; no result depends on it.
    try? FileManager.default.removeItem(at: folder)
  }

  /// Builds a driver and starts it once.
  func make(_ driver: Driver) throws -> Driver {
    var driver = driver
    let place = folder.appendingPathComponent(driver.id)
    if !driver.build.isEmpty {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let command = driver.build.map { $0.replacingOccurrences(of: "{build}", with: place.path) }
      let result = try run(command, in: driver.folder)
      guard result.status == 0 else {
        throw BrokenDriver(driver, "cannot be built", complaint: result.output)
      }
    }
    if case .command(let command) = driver.version {
      let result = try run(command, in: driver.folder)
      // The driver may say its version itself.
      let line = result.output.split(separator: "\n").first.map(String.init) ?? ""
      driver.version = .text(result.status == 0 ? line.trimmingCharacters(in: .whitespaces) : "")
    }
    let path = driver.program.replacingOccurrences(of: "{build}", with: place.path)
    driver.program = URL(fileURLWithPath: path, relativeTo: driver.folder).standardizedFileURL.path
    guard FileManager.default.isExecutableFile(atPath: driver.program) else {
      throw BrokenDriver(driver, "does not start: \(driver.program) is no program that may be executed")
    }
    driver = try copied(driver)
    let scene: Scene
    do {
      scene = try Scene(driver, api: driver.apis.sorted().first ?? "text")
      if let reason = try scene.greet() {
        throw BrokenDriver(driver, "does not start: \(reason)", complaint: scene.complaint)
      }
      if driver.versionText.isEmpty { driver.version = .text(scene.version) }
    } catch let error as NotSupported {
      throw BrokenDriver(driver, "does not start: \(error)")
    }
    return driver
  }

  /// A driver whose program is to be copied, with a copy on the file system of the scenes, in which it is then
  /// linked: a copy for each scene would take longer than most questions.
  func copied(_ driver: Driver) throws -> Driver {
    guard driver.isCopied else { return driver }
    var driver = driver
    let place = folder.appendingPathComponent(driver.id)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let copy = place.appendingPathComponent("program-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: URL(fileURLWithPath: driver.program), to: copy)
    driver.program = copy.path
    return driver
  }

  /// Runs a command, and gives its status and all that it wrote.
  private func run(_ command: [String], in folder: URL) throws -> (status: Int32, output: String) {
    let output = FileManager.default.temporaryDirectory.appendingPathComponent(
      "conformance-\(UUID().uuidString)")
    try Data().write(to: output)
    defer { try? FileManager.default.removeItem(at: output) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    let handle = try FileHandle(forWritingTo: output)
    (process.standardOutput, process.standardError) = (handle, handle)
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    if ended.wait(timeout: .now() + DriverBuilder.limit) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
    }
    let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
    return (process.terminationReason == .exit ? process.terminationStatus : 1, text)
  }
}
