import COpenStepDefaults
import CThreads
import DefaultsC
import Foundation
import GNUstepCompat
import OpenStepDefaults
import TestSupport
import Testing

/// C and Swift in one process.
struct SharedEngineTests {
  @Test("what C sets Swift reads at once, and the reverse; a handle is the object of the class")
  func together() throws {
    let home = try TemporaryHome()
    let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    var handle: OpaquePointer?
    #expect(osd_open_directory(home.path, "App", &handle) == OSD_OK)
    defer { osd_close(handle) }
    #expect(osd_set_integer(handle, "k", 5) == OSD_OK)
    #expect(defaults.integerForKey("k") == 5)
    defaults.setObject("six", forKey: "k")
    var text: UnsafeMutablePointer<CChar>?
    #expect(osd_copy_string(handle, "k", &text, nil) == OSD_OK)
    #expect(text.map { String(cString: $0) } == "six")
    osd_free(text)
  }

  @Test("the standard handles are the shared objects, with what Swift registered")
  func shared() async {
    await #expect(processExitsWith: .success) {
      let home = try GNUstepHome()
      setenv("OPENSTEP_DEFAULTS_DIR", home.home.path + "/OpenStep", 1)
      setenv("GNUSTEP_CONFIG_FILE", home.home.path + "/GNUstep.conf", 1)
      NSUserDefaults.standardUserDefaults().registerDefaults(["r": 1])
      GNUstepUserDefaults.standardUserDefaults().registerDefaults(["r": 2])
      var (one, two): (OpaquePointer?, OpaquePointer?)
      #expect(osd_open_standard(&one) == OSD_OK && osd_open_gnustep_standard(&two) == OSD_OK)
      var value: Int64 = 0
      #expect(osd_get_integer(one, "r", &value) == OSD_OK && value == 1)
      #expect(osd_get_integer(two, "r", &value) == OSD_OK && value == 2)
      #expect(osd_set_search_list(one, nil, 0) == OSD_OK)
      #expect(NSUserDefaults.standardUserDefaults().searchList().isEmpty)
      osd_close(one)
      osd_close(two)
    }
  }

  @Test("eight threads of C beside eight of Swift lose no change, and every observer is released")
  func threads() async throws {
    let home = try TemporaryHome()
    let defaults = NSUserDefaults(directory: home.path, applicationName: "App")
    var handle: OpaquePointer?
    #expect(osd_open_directory(home.path, "App", &handle) == OSD_OK)
    let threads = cthreads_start(handle, 300)
    await EightThreads.run { thread in
      for count in 1...300 {
        defaults.setInteger(count, forKey: "Swift \(thread)")
        _ = defaults.integerForKey("C \(thread)")
        if count % 100 == 0 { defaults.synchronize() }
      }
    }
    // The number of failed expectations, and of observers that were not released.
    #expect(cthreads_join(threads) == 0)
    for thread in 0..<8 {
      #expect(
        defaults.integerForKey("C \(thread)") == 300 && defaults.integerForKey("Swift \(thread)") == 300)
    }
    #expect(osd_synchronize(handle) == OSD_OK)
    osd_close(handle)
  }

  @Test("a failed osd_synchronize does not keep the loss from being told at the end")
  func lossAfterFailure() async throws {
    let home = try TemporaryHome()
    // A directory that nobody can make: a file is in the way.
    try home.write("in the way", to: "file")
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = home.path("file/Defaults") as String] in
      var handle: OpaquePointer?
      _ = osd_open_directory(path, "App", &handle)
      _ = osd_set_integer(handle, "k", 1)
      guard osd_synchronize(handle) == OSD_FAILED else { exit(1) }
      exit(0)
    }
    let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      errors.contains("OpenStepDefaults: 1 changed key of the domain “App” could not be saved"), "\(errors)")
  }
}
