import BenchmarkKit
import Foundation
import TestSupport

/// GNUstep's `NSUserDefaults`, in a program of ours that lives as long as the benchmark and times itself.
final class GNUstepPeer {
  static let name = "GNUstep"

  private let program: GNUstepProgram
  private let process: LineProcess

  private init() throws {
    program = try GNUstepProgram("benchmark", named: "benchmark")
    process = try LineProcess(program.url, ["serve"])
  }

  static func start() -> Result<GNUstepPeer, Absence> {
    guard GNUstepProgram.isExpected else { return .failure(Absence(GNUstepProgram.absence)) }
    do {
      return .success(try GNUstepPeer())
    } catch {
      return .failure(Absence("GNUstep's program cannot be compiled: \(error)"))
    }
  }

  /// The version of the base library against which the program is compiled.
  func version() throws -> String {
    "GNUstep base " + String(decoding: try program.run(["version"]), as: UTF8.self)
  }

  /// Tells the program something.
  func tell(_ words: String...) throws {
    try process.number(words.joined(separator: " "))
  }

  /// The nanoseconds that so many passes of a work take.
  func time(_ work: String, _ count: Int) throws -> Double {
    try process.number("time \(work) \(count)")
  }

  /// The nanoseconds in which a fresh process opens its defaults and reads the keys of a file.
  func readFirst(_ file: String) throws -> Double {
    try LineProcess.numbers(program.url, ["first", file])[0]
  }
}

extension Contender {
  /// GNUstep's side of a row, or why there is none.
  ///
  /// - Parameters:
  ///   - operations: How many operations one pass of the work is.
  ///   - prepare: Gives the program what the work needs.
  static func gnustep(
    _ bench: Workbench, _ work: String, operations: Int = 1, prepare: (GNUstepPeer) throws -> Void
  ) throws -> Contender {
    switch bench.gnustep() {
    case .success(let peer):
      try prepare(peer)
      return Contender(
        GNUstepPeer.name, .peer, .passes(operations: operations) { try peer.time(work, $0) })
    case .failure(let absence):
      return Contender(GNUstepPeer.name, .peer, .absent(absence.description))
    }
  }
}
