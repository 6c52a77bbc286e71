import DefaultsDatabase
import DefaultsDomains
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

/// Where a classic object's values come from.
struct OriginTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func describe(_ origin: DefaultOrigin?) -> String? {
    origin?.description.replacing(home.path + "/", with: "")
  }

  @Test("each domain of the search list, with the place in its file")
  func domains() throws {
    try home.write("// é\n{\n  Font = Ohlfs;\n  \"given\" = 1; \"é\" = 2; Both = 1;\n}", to: "App.plist")
    try home.write("{ Both = 2; Size =\n 12; NSLanguages = (French); }", to: "NSGlobalDomain.plist")
    let defaults = NSUserDefaults(
      directory: home.path, applicationName: "App", arguments: ["app", "-given", "7"])
    defaults.registerDefaults(["Font": "Courier", "registered": "yes"])
    #expect(describe(defaults.origin(of: "Font")) == "App App.plist:3:10")
    #expect(describe(defaults.origin(of: "given")) == "NSArgumentDomain")
    #expect(describe(defaults.origin(of: "é")) == "App App.plist:4:22")
    #expect(describe(defaults.origin(of: "Both")) == "App App.plist:4:32")
    #expect(describe(defaults.origin(of: "Size")) == "NSGlobalDomain NSGlobalDomain.plist:2:2")
    #expect(describe(defaults.origin(of: "registered")) == "NSRegistrationDomain")
    #expect(describe(defaults.origin(of: NSWeekDayNameArray)) == "French")
    #expect(defaults.origin(of: "absent") == nil)
    #expect(defaults.origin(of: "Font")?.file == home.path("App.plist"))
  }

  @Test("a value that is not saved yet has no file, and no place in a file without text")
  func unsavedAndOtherFormats() throws {
    let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    let list: PropertyList = ["Old": "1"]
    try home.write(list.xmlBytes(), to: "NSGlobalDomain.plist")
    #expect(defaults.synchronize())
    #expect(describe(defaults.origin(of: "Old")) == "NSGlobalDomain NSGlobalDomain.plist")
    defaults.setObject("2", forKey: "Old")
    #expect(defaults.synchronize())
    #expect(describe(defaults.origin(of: "Old")) == "App App.plist:2:11")
    let memory = NSUserDefaults(inMemoryWithApplicationName: "App")
    memory.setObject("x", forKey: "k")
    #expect(describe(memory.origin(of: "k")) == "App")
  }

  @Test("a name of the search list that is there twice, or has no domain, is no origin")
  func searchList() throws {
    let defaults = NSUserDefaults(inMemoryWithApplicationName: "App")
    try defaults.setVolatileDomain(["k": "v"], forName: "Own")
    defaults.setSearchList(["None", "Own", "App", "Own"])
    #expect(describe(defaults.origin(of: "k")) == "Own")
    defaults.setObject("x", forKey: "k")
    defaults.setSearchList(["App", "Own"])
    #expect(describe(defaults.origin(of: "k")) == "App")
    defaults.setSearchList([])
    #expect(defaults.origin(of: "k") == nil)
  }
}
