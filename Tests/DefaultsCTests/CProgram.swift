import Foundation
import TestSupport

/// A program of `Tests/CPrograms`, compiled against the headers and the dynamic library as the tests' build made it.
struct CProgram: Sendable {
  enum Language: String, CaseIterable, Sendable {
    case c11, cPlusPlus17

    var flags: [String] {
      switch self {
      // The POSIX functions are not C11's own.
      case .c11: ["-x", "c", "-std=c11", "-D_POSIX_C_SOURCE=200809L"]
      case .cPlusPlus17: ["-x", "c++", "-std=c++17"]
      }
    }
  }

  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let headers = package.appendingPathComponent("Compat/C/COpenStepDefaults/include").path
  static let programs = package.appendingPathComponent("Tests/CPrograms").path

  /// The dynamic library.
  static var library: String {
    #if canImport(Darwin)
      BuiltProduct.path(of: "libopenstepdefaults.dylib")
    #else
      BuiltProduct.path(of: "libopenstepdefaults.so")
    #endif
  }

  /// The compiler's driver: the system's, or the one that Swift brings.
  static var compiler: String { find("cc") ?? find("clang") ?? "/usr/bin/cc" }

  /// Where `PATH` has a program.
  static func find(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first(where: FileManager.default.isExecutableFile)
  }

  let path: String

  /// Compiles a program into a directory.
  ///
  /// - Parameter libraries: What to link; by default the library, where it lies.
  init(
    _ source: String, _ language: Language = .c11, in home: TemporaryHome, libraries: [String]? = nil
  ) throws {
    path = "\(home.path)/\(source)-\(language)"
    let directory = (CProgram.library as NSString).deletingLastPathComponent
    let linked = libraries ?? ["-L\(directory)", "-lopenstepdefaults", "-Wl,-rpath,\(directory)"]
    let output = try CProgram.run(
      CProgram.compiler,
      language.flags + ["-g", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", CProgram.headers]
        + ["\(CProgram.programs)/\(source).c", "-x", "none", "-o", path] + linked + ["-lm"])
    guard output.status == 0 else { throw Failure(description: output.errors) }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  struct Output: Sendable {
    var status: Int32
    var text: String
    var errors: String
  }

  /// Runs a program to its end. A signal is given as its negative number.
  static func run(_ path: String, _ arguments: [String], _ environment: [String: String] = [:]) throws
    -> Output
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    // Files, which hold everything, where a pipe would be full before it is read.
    let (out, err) = (try TemporaryHome(), try TemporaryHome())
    for home in [out, err] { try home.write("", to: "text") }
    process.standardOutput = FileHandle(forWritingAtPath: out.path + "/text")
    process.standardError = FileHandle(forWritingAtPath: err.path + "/text")
    try process.run()
    process.waitUntilExit()
    let status = process.terminationStatus
    return Output(
      status: process.terminationReason == .exit ? status : -status, text: try out.text(of: "text"),
      errors: try err.text(of: "text"))
  }

  func run(_ arguments: [String] = [], _ environment: [String: String] = [:]) throws -> Output {
    try CProgram.run(path, arguments, environment)
  }
}
