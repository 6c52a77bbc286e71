import DefaultsDatabase
import DefaultsDomains
import Foundation
import TestSupport
import Testing

@testable import OpenStepDefaults

/// Places and programs whose names are not UTF-8.
struct UndecodableBytesTests {
  @Test("a program whose database's place is not UTF-8 works in memory, and each save says so")
  func place() async throws {
    await #expect(processExitsWith: .success) {
      let value = [0x2F, 0x78, CChar(bitPattern: 0xE8), 0] as [CChar]
      try #require(setenv("OPENSTEP_DEFAULTS_DIR", value, 1) == 0)
      let defaults = NSUserDefaults()
      defaults.setObject("v", forKey: "k")
      #expect(!defaults.synchronize())
      #expect(defaults.persistent.lastError?.kind == .refused)
      #expect(defaults.persistent.lastError?.description.hasPrefix("“/x%E8”: is not UTF-8") == true)
      #expect(defaults.persistentDomainForName(defaults.application.name.text)?["k"] as? String == "v")
      // Nothing is left to be saved at the end.
      defaults.removeObjectForKey("k")
      exit(FileManager.default.fileExists(atPath: "/x\u{FFFD}") ? 1 : 0)
    }
  }
}
