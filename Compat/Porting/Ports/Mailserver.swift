// The port of Compat/Porting/Originals/mailserver.m.

import Foundation

enum Mailserver {
  final class Source: ObjectStore {
    private let values: any ObjectStore
    private let parent: Source?

    init(values: any ObjectStore, parent: Source?) {
      self.values = values
      self.parent = parent
    }

    func objectForKey(_ key: String) -> Any? {
      values.objectForKey(key) ?? parent?.objectForKey(key)
    }

    func boolForKey(_ key: String) -> Bool {
      PropertyListObject(objectForKey(key)).boolValue
    }

    func integerForKey(_ key: String) -> Int32 {
      PropertyListObject(objectForKey(key)).intValue
    }

    func stringForKey(_ key: String) -> String? {
      objectForKey(key) as? String
    }

    func setInteger(_ value: Int32, forKey key: String) {
      (values as? NSUserDefaults)?.setObject(String(value), forKey: key)
    }
  }

  static func prepare(_ defaults: NSUserDefaults) throws {
    var configuration: [String: Any] = [:]
    if let file = defaults.stringForKey("Configuration") {
      configuration = try [String: Any](contentsOfFile: file)
    }
    // The own domain leaves the list, and its values win over the file's.
    defaults.removeSuiteNamed("mailserver")
    configuration.merge(defaults.persistentDomainForName("mailserver") ?? [:]) { $1 }
    try defaults.setVolatileDomain(configuration, forName: "mailserver.runtime")
    defaults.addSuiteNamed("mailserver.runtime")
    defaults.addSuiteNamed(NSArgumentDomain)
    if let name = defaults.stringForKey("ServerName") {
      defaults.setObject(name, forKey: "Server")
      defaults.removeObjectForKey("ServerName")
    }
  }

  static func print(_ source: Source) {
    Swift.print(
      "server \(cString(source.stringForKey("Server"))), module \(cString(source.stringForKey("Module")))")
    Swift.print(
      "refresh every \(source.integerForKey("Minutes")) minutes\(source.boolForKey("Trusts") ? ", trusting" : "")"
    )
    for directory in source.objectForKey("Directories") as? [[String: Any]] ?? [] {
      Swift.print(
        "directory \(cString(directory["id"] as? String)) at port \(PropertyListObject(directory["port"]).intValue)"
          + (PropertyListObject(directory["writable"]).boolValue ? ", writable" : ""))
    }
  }

  static func main() throws {
    let arguments = ProcessInfo.processInfo.arguments
    let defaults = NSUserDefaults.standardUserDefaults()
    try prepare(defaults)
    Swift.print(defaults.searchList().joined(separator: " "))
    let system = Source(values: defaults, parent: nil)
    switch arguments[1] {
    case "domain":
      let own = defaults.dictionaryForKey("Domains")?[arguments[2]] as? [String: Any]
      print(Source(values: own ?? [:], parent: system))
    case "set":
      system.setInteger(PropertyListObject(arguments[3]).intValue, forKey: arguments[2])
      print(system)
    default:
      print(system)
    }
    Swift.print(defaults.synchronize() ? "saved" : "not saved")
  }
}
