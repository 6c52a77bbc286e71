import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// Where a modern object's values come from.
struct OriginTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func describe(_ origin: DefaultOrigin?) -> String? {
    origin?.description.replacing(home.path + "/", with: "")
  }

  @Test("each domain of the search, with the place in its file")
  func domains() throws {
    for folder in ["user", "managed"] {
      try FileManager.default.createDirectory(atPath: home.path(folder), withIntermediateDirectories: true)
    }
    try home.write("{\n  Font = Ohlfs; Size = 1;\n  Both = 1;\n}", to: "user/App.plist")
    try home.write("{ Suite = (a, b); Both = 2; }", to: "user/group.shared.plist")
    try home.write("{ Both = 3; Global = 4; }", to: "user/NSGlobalDomain.plist")
    try home.write("{ Font = Courier; }", to: "managed/App.plist")
    try home.write("\n{ All = 1; }", to: "managed/NSGlobalDomain.plist")
    let defaults = UserDefaults(
      store: DefaultsStore(
        user: PersistentDomains.at(directory: home.path("user")), applicationName: try DomainName("App"),
        process: ProcessDomains(arguments: ["app", "-Size", "7"]),
        managed: PersistentDomains.at(directory: home.path("managed"))))
    defaults.addSuite(named: "group.shared")
    defaults.register(defaults: ["Global": 1, "registered": true])
    #expect(describe(defaults.origin(of: "Font")) == "App managed/App.plist:1:10")
    #expect(describe(defaults.origin(of: "All")) == "NSGlobalDomain managed/NSGlobalDomain.plist:2:9")
    #expect(describe(defaults.origin(of: "Size")) == "NSArgumentDomain")
    #expect(describe(defaults.origin(of: "Both")) == "App user/App.plist:3:10")
    #expect(describe(defaults.origin(of: "Suite")) == "group.shared user/group.shared.plist:1:11")
    #expect(describe(defaults.origin(of: "Global")) == "NSGlobalDomain user/NSGlobalDomain.plist:1:22")
    #expect(describe(defaults.origin(of: "registered")) == "NSRegistrationDomain")
    #expect(defaults.origin(of: "absent") == nil)
    defaults.removeSuite(named: "group.shared")
    #expect(defaults.origin(of: "Suite") == nil)
  }

  @Test("a value that is in no file has none, and one in a binary file has no place")
  func withoutPlace() throws {
    let memory = UserDefaults.inMemory()
    memory.set(1, forKey: "k")
    #expect(memory.origin(of: "k")?.file == nil && memory.origin(of: "k") != nil)
    let value: PropertyList = ["k": .integer(5)]
    try home.write(value.binaryBytes(), to: "App.plist")
    let defaults = UserDefaults(directory: home.path, applicationName: "App")
    #expect(describe(defaults.origin(of: "k")) == "App App.plist")
  }
}
