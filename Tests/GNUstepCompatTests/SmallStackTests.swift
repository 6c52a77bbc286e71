import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import GNUstepCompat

/// GNUstep's database, whose files are XML, on a thread with a small stack.
struct SmallStackTests {
  @Test("500 nested containers are set, saved and read again", arguments: [128, 256, 512], [false, true])
  func deepest(kilobytes: Int, inDictionaries: Bool) async throws {
    let home = try TemporaryHome()
    let value = nested(500, inDictionaries: inDictionaries)
    let isRight = await onThread(stack: kilobytes << 10) {
      var object: Any = "x"
      for _ in 0..<500 { object = inDictionaries ? ["k": object] as [String: Any] : [object] }
      let writer = GNUstepUserDefaults(directory: home.path, applicationName: "App")
      writer.setObject(object, forKey: "k")
      guard writer.synchronize() else { return false }
      let reader = GNUstepUserDefaults(directory: home.path, applicationName: "App")
      return reader.objectForKey("k") != nil && reader.propertyListForKey("k") == value
    }
    #expect(isRight)
    let file = try DomainFileFormat.propertyList(from: home.bytes(of: "App.plist"))
    #expect(file.format == .xml && file.value == ["k": value])
  }
}
