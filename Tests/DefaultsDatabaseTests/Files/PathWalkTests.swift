import Foundation
import TestSupport
import Testing

@testable import DefaultsDatabase

struct PathWalkTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// Links in a deep directory, and one that leads there; the path to a file through all of them.
  ///
  /// - Parameter way: Where each link leads before it leads to the next one.
  private func makeLinks(count: Int, depth: Int, way: String) throws -> String {
    let deep = "deep" + String(repeating: "/d", count: depth)
    try FileManager.default.createDirectory(atPath: home.path(deep), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: home.path("first"), withDestinationPath: deep)
    for number in 0..<count {
      try FileManager.default.createSymbolicLink(
        atPath: home.path("first/link\(number)"), withDestinationPath: "\(way)link\(number + 1)")
    }
    try home.write("text", to: "\(deep)/link\(count)")
    return home.path("first/link0")
  }

  // Of forty links with texts of four kilobytes each, and of one that leads as deep as two of them go to and fro, an
  // administrator's command took seconds: each look takes time in proportion to the depth.
  @Test(
    "a path that leads through very many components behind links, or very deep ones, is refused",
    arguments: [
      (count: 5, depth: 0, isFound: true), (count: 39, depth: 0, isFound: false),
      (count: 1, depth: 700, isFound: true), (count: 9, depth: 700, isFound: false),
    ])
  func components(count: Int, depth: Int, isFound: Bool) throws {
    let (down, up) = (String(repeating: "d/", count: 600), String(repeating: "../", count: 600))
    let way = depth == 0 ? down + up : String(repeating: "../d/", count: 700)
    if depth == 0 {
      try FileManager.default.createDirectory(
        atPath: home.path("deep/" + down), withIntermediateDirectories: true)
    }
    let path = try makeLinks(count: count, depth: depth, way: way)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "text")
    let disk = FaultyFileSystem { _ in nil }
    let walk = Result { try PathWalk(along: path, trusting: [0, geteuid()], fileSystem: disk) }
    let looks = disk.operations.filter { $0.name == "status" }
    let totalDepth = looks.reduce(0) { $0 + ($1.path ?? "").utf8.count { $0 == UInt8(ascii: "/") } }
    // As many as in the longest path that the system takes.
    #expect(looks.count > 700 && totalDepth <= 2047 * 2048 / 2)
    switch walk {
    case .success(let walk): #expect(isFound && walk.hasLink && walk.owner == nil)
    case .failure(let error): #expect(!isFound && "\(error)".contains("symbolic links"))
    }
  }
}
