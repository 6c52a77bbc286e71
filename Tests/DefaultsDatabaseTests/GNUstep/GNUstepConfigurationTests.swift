import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// GNUstep's configuration files; what is expected is what GNUstep 1.28's `defaults` did with the same files.
struct GNUstepConfigurationTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func configuration(_ text: String, mode: Int32 = 0o644) throws -> GNUstepConfiguration {
    try home.write(text, to: "GNUstep.conf")
    #expect(chmod(home.path + "/GNUstep.conf", mode_t(mode)) == 0)
    let path: String = home.path + "/GNUstep.conf"
    return try #require(
      GNUstepConfiguration { $0 == GNUstepConfiguration.environmentVariable ? path : nil })
  }

  private var accountHome: String { (try? Account.current?.home) ?? "/" }

  @Test(
    "the directory of the defaults is absolute, or lies in the account's home",
    arguments: [
      ("GNUSTEP_USER_DEFAULTS_DIR=/tmp/a", "/tmp/a"), ("GNUSTEP_USER_DEFAULTS_DIR=X/Defs", "~/X/Defs"),
      ("GNUSTEP_USER_DEFAULTS_DIR=/tmp//a/./", "/tmp/a"),
      ("GNUSTEP_USER_DEFAULTS_DIR=~/GSZ", "~/GSZ"), ("GNUSTEP_USER_DEFAULTS_DIR=~", "~"),
      ("# c\n GNUSTEP_USER_DEFAULTS_DIR = \"/tmp/with space\"  \n", "/tmp/with space"),
      ("GNUSTEP_USER_DEFAULTS_DIR='/tmp/q'\r\n", "/tmp/q"),
      ("#GNUSTEP_USER_DEFAULTS_DIR=/no", "~/GNUstep/Defaults"),
      ("nonsense\n=x\nGNUSTEP_USER_DEFAULTS_DIR", "~/GNUstep/Defaults"), ("", "~/GNUstep/Defaults"),
      // What GNUstep 1.28 makes of these was found by running it.
      (#"GNUSTEP_USER_DEFAULTS_DIR=/tmp/a\ b"#, "/tmp/a"),
      (#"GNUSTEP_USER_DEFAULTS_DIR=/tmp/a\b"#, "/tmp/ab"),
      (#"GNUSTEP_USER_DEFAULTS_DIR=/tmp/a\\b"#, #"/tmp/a\b"#),
      (#"GNUSTEP_USER_DEFAULTS_DIR="/tmp/a\"b""#, #"/tmp/a"b"#),
      (#"GNUSTEP_USER_DEFAULTS_DIR='/tmp/a\b'"#, #"/tmp/a\b"#),
      ("GNUSTEP_USER_DEFAULTS_DIR=/tmp/a # why", "/tmp/a"),
      ("GNUSTEP_USER_DEFAULTS_DIR=\"/tmp/a\" # b", "/tmp/a"),
      ("GNUSTEP_USER_DEFAULTS_DIR=/tmp/a#b", "/tmp/a#b"),
      ("GNUSTEP_USER_DEFAULTS_DIR=/tmp/a\"b\"c", "/tmp/a\"b\"c"),
      ("GNUSTEP_USER_DEFAULTS_DIR \t=\t/tmp/a\u{A0}b", "/tmp/a\u{A0}b"),
      ("GNUSTEP_USER_DEFAULTS_DIR=/tmp/x\u{85}Y\u{2028}Z", "/tmp/x\u{85}Y\u{2028}Z"),
      ("export GNUSTEP_USER_DEFAULTS_DIR=/tmp/a", "~/GNUstep/Defaults"),
      ("X=\"a\nGNUSTEP_USER_DEFAULTS_DIR=/tmp/a\n\"", "~/GNUstep/Defaults"),
      ("GNUSTEP_USER_DEFAULTS_DIR=\"/tmp/a", "/tmp/a"), ("GNUSTEP_USER_DEFAULTS_DIR=/tmp/a\\", "/tmp/a"),
    ])
  func directory(text: String, wanted: String) throws {
    // No file of the tester's own is to count.
    let text = "\u{FEFF}GNUSTEP_USER_CONFIG_FILE=.none-\(UUID().uuidString)\n" + text
    let path = wanted.hasPrefix("~") ? accountHome + wanted.dropFirst() : wanted
    #expect(try configuration(text).userDefaultsDirectory == path)
  }

  @Test("the user's own file comes after the system's, and wins")
  func userFile() throws {
    try home.write("GNUSTEP_USER_DEFAULTS_DIR=/tmp/user\n", to: "user.conf")
    #expect(chmod(home.path + "/user.conf", 0o600) == 0)
    // It lies in the home, also where its name looks like a whole path.
    let up = accountHome.split(separator: "/").map { _ in "/.." }.joined()
    let text = "GNUSTEP_USER_DEFAULTS_DIR=/tmp/system\nGNUSTEP_USER_CONFIG_FILE="
    #expect(try configuration(text + "\(up)\(home.path)/user.conf\n").userDefaultsDirectory == "/tmp/user")
    #expect(try configuration(text + "\(home.path)/user.conf\n").userDefaultsDirectory == "/tmp/system")
    if CurrentProcess.effectiveUser == 0 {
      // It is read with the rights of its owner, who may not even come there.
      #expect(chmod(home.path, 0o755) == 0)
      #expect(chown(home.path + "/user.conf", 1, 1) == 0)
      let configuration = try configuration(text + "\(up)\(home.path)/user.conf\n")
      #expect(try configuration.userDefaultsDirectory == "/tmp/system")
      let ignored = try #require(configuration.ignored.first)
      #expect(ignored.contains("/user.conf: "))
    }
  }

  @Test("a file that is a symbolic link counts, and whether others may write to what it leads to")
  func links() throws {
    try home.write("GNUSTEP_USER_DEFAULTS_DIR=/tmp/linked\n", to: "real.conf")
    #expect(chmod(home.path + "/real.conf", 0o644) == 0)
    let path: String = home.path + "/link.conf"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "real.conf")
    func directory() throws -> String? {
      try GNUstepConfiguration { $0 == GNUstepConfiguration.environmentVariable ? path : nil }?
        .userDefaultsDirectory
    }
    #expect(try directory() == "/tmp/linked")
    #expect(chmod(home.path + "/real.conf", 0o666) == 0)
    #expect(try directory() != "/tmp/linked")
  }

  @Test("a file that others may write to is ignored, and that is told")
  func untrusted() throws {
    let configuration = try configuration("GNUSTEP_USER_DEFAULTS_DIR=/tmp/evil\n", mode: 0o666)
    #expect(try configuration.userDefaultsDirectory != "/tmp/evil")
    #expect(configuration.ignored.count == 1)
    #expect(configuration.ignored.first?.contains("users other than its owner may write to it") == true)
  }

  @Test("there is no configuration for a user whom nobody knows")
  func unknownUser() {
    let configuration = GNUstepConfiguration(user: "nobody-of-this-name") { _ in nil }
    #expect(configuration == nil)
  }

  @Test(
    "the installation's defaults are the configuration's settings and GlobalDefaults, of which the single file wins"
  )
  func globalDefaults() throws {
    try FileManager.default.createDirectory(
      atPath: home.path + "/GlobalDefaults", withIntermediateDirectories: false)
    try home.write("{ GlobalKey = 1; Both = file; }", to: "GlobalDefaults.plist")
    try home.write("{ Other = 2; Both = folder; }", to: "GlobalDefaults/more.plist")
    try home.write("{ No = 2; }", to: "GlobalDefaults/no.txt")
    try home.write("{ broken", to: "GlobalDefaults/broken.plist")
    try home.write("{ Evil = 1; }", to: "GlobalDefaults/open.plist")
    for name in ["GlobalDefaults.plist", "GlobalDefaults/more.plist", "GlobalDefaults/broken.plist"] {
      #expect(chmod("\(home.path)/\(name)", 0o644) == 0)
    }
    #expect(chmod(home.path + "/GlobalDefaults/open.plist", 0o666) == 0)
    let configuration = try configuration("GNUSTEP_LOCAL_APPS=/x\n")
    #expect(configuration.defaults["GlobalKey"] == "1" && configuration.defaults["Both"] == "file")
    #expect(configuration.defaults["Other"] == "2" && configuration.defaults["GNUSTEP_LOCAL_APPS"] == "/x")
    #expect(configuration.defaults["No"] == nil && configuration.defaults["Evil"] == nil)
    #expect(configuration.ignored.count == 2)
  }

  @Test("a directory whose name is not UTF-8 is refused, and any other setting is left out with a note")
  func foreignBytes() throws {
    for byte in [0xE8, 0xE9] as [UInt8] {
      let none = "GNUSTEP_USER_CONFIG_FILE=.none-\(UUID().uuidString)\n"
      let directory = Array("\(none)GNUSTEP_USER_DEFAULTS_DIR=/tmp/x".utf8) + [byte]
      let text = directory + Array("\nOTHER=y".utf8) + [byte]
      try home.write(text, to: "GNUstep.conf")
      #expect(chmod(home.path("GNUstep.conf"), 0o644) == 0)
      let path = home.path("GNUstep.conf")
      let configuration = try #require(GNUstepConfiguration { _ in path })
      let error = #expect(throws: DatabaseError.self) { try configuration.userDefaultsDirectory }
      #expect(error?.kind == .refused && error?.path == path)
      #expect(error?.message == "the value of GNUSTEP_USER_DEFAULTS_DIR is not UTF-8")
      for name in ["OTHER", "GNUSTEP_USER_DEFAULTS_DIR"] as [PropertyListKey] {
        #expect(configuration.defaults[name] == nil)
      }
      #expect(configuration.ignored.count == 2)
    }
  }

  @Test(
    "a file of more than a megabyte is left out with a note, and many bad settings are noted in a few lines")
  func bounds() throws {
    let path = home.path("GNUstep.conf")
    let directory = "GNUSTEP_USER_DEFAULTS_DIR=/tmp/x\nGNUSTEP_USER_CONFIG_FILE=.none-\(UUID().uuidString)\n"
    var bad: [UInt8] = []
    for number in 0..<1000 { bad += Array("K\(number)=".utf8) + [0xFF, 0x0A] }
    try home.write(Array(directory.utf8) + bad, to: "GNUstep.conf")
    #expect(chmod(path, 0o644) == 0)
    let configuration = try #require(GNUstepConfiguration { _ in path })
    #expect(try configuration.userDefaultsDirectory == "/tmp/x")
    #expect(configuration.ignored.count == 11)
    #expect(configuration.ignored.last?.contains("990 more") == true)
    try home.write(Array(directory.utf8) + [UInt8](repeating: 0x23, count: 1 << 20), to: "GNUstep.conf")
    #expect(chmod(path, 0o644) == 0)
    let large = GNUstepConfiguration { _ in path }
    #expect(large?.defaults["GNUSTEP_USER_DEFAULTS_DIR"] == nil)
    #expect(large == nil || large?.ignored.count == 1)
  }
}
