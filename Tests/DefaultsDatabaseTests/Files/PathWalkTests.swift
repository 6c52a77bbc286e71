import Foundation
import TestSupport
import Testing

@testable import DefaultsDatabase

struct PathWalkTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// Links of which each leads deep down, up again, and to the next one; the path of the first.
  private func makeLinks(count: Int) throws -> String {
    let depth = 600
    try FileManager.default.createDirectory(
      atPath: home.path(Array(repeating: "d", count: depth).joined(separator: "/")),
      withIntermediateDirectories: true)
    for number in 0..<count {
      let way = String(repeating: "d/", count: depth) + String(repeating: "../", count: depth)
      try FileManager.default.createSymbolicLink(
        atPath: home.path("link\(number)"), withDestinationPath: "\(way)link\(number + 1)")
    }
    try home.write("text", to: "link\(count)")
    return home.path("link0")
  }

  // Forty of them, each with a text of four kilobytes, took an administrator's command seconds.
  @Test("a path that leads through very many components behind links is refused", arguments: [5, 39])
  func components(count: Int) throws {
    let path = try makeLinks(count: count)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
    let disk = FaultyFileSystem { _ in nil }
    let walk = Result { try PathWalk(along: path, trusting: [0, geteuid()], fileSystem: disk) }
    #expect(disk.operations.count { $0.name == "status" } <= 4096)
    switch walk {
    case .success(let walk): #expect(count == 5 && walk.hasLink && walk.owner == nil)
    case .failure(let error):
      #expect(count == 39 && "\(error)".contains("symbolic links"))
    }
  }
}
