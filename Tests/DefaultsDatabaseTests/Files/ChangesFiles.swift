import Foundation
import OpenStepPropertyList
import TestSupport

@testable import DefaultsDatabase

/// Tests that change one file by its path and as a domain.
protocol ChangesFiles {
  var home: TemporaryHome { get }
}

extension ChangesFiles {
  /// What they begin with: directories, a domain, and a change of one of its keys.
  static func start(
    with folders: String...
  ) throws -> (home: TemporaryHome, app: DomainName, changes: DomainChanges) {
    let home = try TemporaryHome()
    for folder in folders {
      try FileManager.default.createDirectory(atPath: home.path(folder), withIntermediateDirectories: false)
    }
    var changes = DomainChanges()
    changes.set("v", for: "k")
    return (home, try DomainName("App"), changes)
  }

  /// Puts a file with a line in the place of the present one.
  func write(_ text: String, to file: String) throws {
    try "\(text)\n".write(toFile: home.path(file), atomically: true, encoding: .utf8)
  }

  /// What becomes of a file that gets a line.
  func bytes(_ text: String) -> PropertyListFile.NewFile { .bytes(Array("\(text)\n".utf8)) }
}
