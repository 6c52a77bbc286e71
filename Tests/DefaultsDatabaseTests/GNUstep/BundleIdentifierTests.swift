import Foundation
import TestSupport
import Testing

@testable import DefaultsDatabase

/// The information file of a program; which one counts is what GNUstep 1.31 does by its source.
struct BundleIdentifierTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
    try FileManager.default.createDirectory(
      atPath: home.path("Resources"), withIntermediateDirectories: false)
  }

  private func identifier() throws -> String? {
    try BundleIdentifier.ofProgram(at: home.path("program"))
  }

  private func write(_ identifier: String, to file: String) throws {
    try home.write("{ CFBundleIdentifier = \"\(identifier)\"; }", to: file)
  }

  @Test("GNUstep's file comes before the other, and the folder of resources before the program's directory")
  func order() throws {
    #expect(try identifier() == nil)
    let files = ["Info.plist", "Resources/Info.plist", "Info-gnustep.plist", "Resources/Info-gnustep.plist"]
    for (number, file) in files.enumerated() {
      try write("id\(number)", to: file)
      #expect(try identifier() == "id\(number)", "\(file)")
    }
    try home.write("{ NSExecutable = program; }", to: "Resources/Info-gnustep.plist")
    #expect(try identifier() == nil, "the first file decides, even without an identifier")
  }

  @Test("the file may have any format")
  func xml() throws {
    try home.write(
      "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>é</string></dict></plist>",
      to: "Info.plist")
    #expect(try identifier() == "é")
  }

  @Test("the working directory does not count, nor what is no file, nor what is no text")
  func others() throws {
    try write("working", to: "Info.plist")
    #expect(try BundleIdentifier.ofProgram(at: home.path("elsewhere/program")) == nil)
    try FileManager.default.removeItem(atPath: home.path("Resources"))
    try home.write("a file", to: "Resources")
    #expect(try identifier() == "working")
    try home.write("{ CFBundleIdentifier = (a); }", to: "Info-gnustep.plist")
    #expect(try identifier() == nil)
    try FileManager.default.removeItem(atPath: home.path("Info-gnustep.plist"))
    #expect(mkfifo(home.path("Info-gnustep.plist"), 0o600) == 0)
    #expect(try identifier() == "working")
  }

  @Test("a damaged file is an error with the place, and so is one that is far too large")
  func damaged() throws {
    try home.write("{ CFBundleIdentifier = a;\n b = ", to: "Info.plist")
    #expect {
      try identifier()
    } throws: {
      ($0 as? DatabaseError)?.description.hasPrefix(home.path("Info.plist") + ":2:") == true
    }
    try home.write(Data(count: 1 << 20 + 1), to: "Info.plist")
    #expect {
      try identifier()
    } throws: {
      ($0 as? DatabaseError)?.isTooLarge == true
    }
  }
}
