// The port of Compat/Porting/Originals/command.m: the category is an extension, and the proxy has the object
// that it stands for.

import Foundation

extension NSUserDefaults {
  fileprivate func overrides() -> [String: Any]? {
    volatileDomainForName("Overrides")
  }

  fileprivate func setOverride(_ value: Any?, forKey key: String) throws {
    var overrides = overrides() ?? [:]
    overrides[key] = value
    // A volatile domain is not replaced: it is removed before it is set.
    removeVolatileDomainForName("Overrides")
    if !overrides.isEmpty { try setVolatileDomain(overrides, forName: "Overrides") }
  }
}

enum Command {
  final class PrefixedDefaults {
    /// The object that is asked everything else.
    let target: NSUserDefaults
    private let prefix: String?

    init(target: NSUserDefaults, prefix: String?) {
      self.target = target
      self.prefix = prefix
      var list = target.searchList()
      list.removeAll { $0 == "Overrides" || $0 == "Configuration" }
      list.insert("Overrides", at: 0)
      list.insert("Configuration", at: 1)
      target.setSearchList(list)
    }

    private func key(for key: String) -> String {
      let prefixed = (prefix ?? "") + key
      return target.objectForKey(prefixed) != nil ? prefixed : key
    }

    func objectForKey(_ key: String) -> Any? { target.objectForKey(self.key(for: key)) }
    func stringForKey(_ key: String) -> String? { target.stringForKey(self.key(for: key)) }
    func integerForKey(_ key: String) -> Int { target.integerForKey(self.key(for: key)) }
    func boolForKey(_ key: String) -> Bool { target.boolForKey(self.key(for: key)) }
    func removeObjectForKey(_ key: String) { target.removeObjectForKey(self.key(for: key)) }
  }

  static func show(_ defaults: PrefixedDefaults) {
    print(
      "host \(cString(defaults.stringForKey("Host"))), port \(defaults.integerForKey("Port")), "
        + (defaults.boolForKey("Verbose") ? "verbose" : "quiet"))
  }

  static func main() throws {
    let arguments = ProcessInfo.processInfo.arguments
    let standard = NSUserDefaults.standardUserDefaults()
    let defaults = PrefixedDefaults(target: standard, prefix: standard.stringForKey("Prefix"))
    defaults.target.registerDefaults(["Host": "localhost", "Port": "80", "Verbose": "NO"])
    try standard.setVolatileDomain(["WebPort": 8080], forName: "Configuration")
    switch arguments[1] {
    case "set":
      defaults.target.setObject(arguments[3], forKey: arguments[2])
    case "remove":
      defaults.removeObjectForKey(arguments[2])
    case "override":
      try defaults.target.setOverride(arguments[3], forKey: arguments[2])
      show(defaults)
      try defaults.target.setOverride(nil, forKey: arguments[2])
      print("\(defaults.target.overrides()?.count ?? 0) overrides")
    default:
      break
    }
    show(defaults)
    print(defaults.target.searchList().prefix(5).joined(separator: " "))
    defaults.target.synchronize()
  }
}
