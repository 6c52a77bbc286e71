// The port of Compat/Porting/Originals/palette.m.

import Foundation

enum Palette {
  final class ProfileDefaults: NSUserDefaults, @unchecked Sendable {
    // Unchecked like its superclass; the profile is set before anything else is asked.
    private var profile: String?

    func setProfile(_ profile: String?) {
      self.profile = profile
    }

    private func key(for key: String) -> String {
      profile.map { "\($0) \(key)" } ?? key
    }

    override func objectForKey(_ key: String) -> Any? {
      super.objectForKey(self.key(for: key)) ?? super.objectForKey(key)
    }

    override func setObject(_ value: Any?, forKey key: String) {
      super.setObject(value, forKey: self.key(for: key))
    }

    override func removeObjectForKey(_ key: String) {
      super.removeObjectForKey(self.key(for: key))
    }
  }

  static func colour(_ arguments: [String]) -> Data {
    Data((0..<3).map { UInt8(truncatingIfNeeded: PropertyListObject(arguments[3 + $0]).intValue) })
  }

  static func show(_ defaults: NSUserDefaults) {
    for name in ["Ink", "Paper", "Frame"] {
      if let bytes = defaults.dataForKey(name) { print("\(name) is \(bytes[0]), \(bytes[1]), \(bytes[2])") }
    }
    for case let document as [String: Any] in defaults.arrayForKey("Documents") ?? [] {
      let seconds = (document["Date"] as? Date)?.timeIntervalSinceReferenceDate ?? 0
      print(
        "\(cString(document["Path"] as? String)) was opened at \(String(format: "%.0f", seconds)), "
          + "\(PropertyListObject(document["Times"]).intValue) times")
    }
    print("\(defaults.integerForKey("Opened")) opened in all\(defaults.boolForKey("Busy") ? ", busy" : "")")
  }

  static func main() throws {
    let arguments = ProcessInfo.processInfo.arguments
    let standard = NSUserDefaults.standardUserDefaults()
    let defaults = ProfileDefaults()
    defaults.setSearchList(standard.searchList())
    defaults.synchronize()
    defaults.addSuiteNamed("Shared Palette")
    defaults.setProfile(standard.stringForKey("Profile"))
    defaults.registerDefaults(["Ink": Data([0, 0, 0])])
    switch arguments[1] {
    case "colour":
      defaults.setObject(colour(arguments), forKey: arguments[2])
    case "share":
      var shared = defaults.persistentDomainForName("Shared Palette") ?? [:]
      shared[arguments[2]] = colour(arguments)
      try defaults.setPersistentDomain(shared, forName: "Shared Palette")
    case "opened":
      var documents = defaults.arrayForKey("Documents") ?? []
      let date = Date(timeIntervalSinceReferenceDate: PropertyListObject(arguments[3]).doubleValue)
      defaults.setInteger(defaults.integerForKey("Opened") + 1, forKey: "Opened")
      let document: [String: Any] = [
        "Path": arguments[2], "Date": date, "Times": defaults.integerForKey("Opened"),
      ]
      documents.append(document)
      while documents.count > 3 { documents.removeFirst() }
      defaults.setObject(documents, forKey: "Documents")
      defaults.setBool(documents.count == 3, forKey: "Busy")
    case "close":
      defaults.removeObjectForKey("Documents")
    default:
      break
    }
    show(defaults)
    defaults.synchronize()
  }
}
