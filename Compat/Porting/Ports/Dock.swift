// The port of Compat/Porting/Originals/dock.m.

import Foundation

enum Dock {
  static let family = "FAMILY"

  static func truth(_ defaults: NSUserDefaults, _ key: String) -> Bool {
    guard let text = defaults.stringForKey(key) else { return false }
    var number: [Int32] = [0]
    if scan(text, "%i", into: &number) == 1 { return number[0] != 0 }
    return text.first.map("YyTt".contains) ?? false
  }

  static func number(_ defaults: NSUserDefaults, _ key: String) -> Int32 {
    var value: [Int32] = [0]
    scan(defaults.stringForKey(key), "%i", into: &value)
    return value[0]
  }

  static func icons(_ defaults: NSUserDefaults) -> [[String: Any]] {
    defaults.dictionaryForKey("Dock")?["Applications"] as? [[String: Any]] ?? []
  }

  static func setIcons(_ defaults: NSUserDefaults, _ icons: [[String: Any]]) {
    var dock = defaults.dictionaryForKey("Dock") ?? [:]
    dock["Applications"] = icons
    defaults.setObject(dock, forKey: "Dock")
  }

  static func list(_ defaults: NSUserDefaults) {
    for icon in icons(defaults) {
      var position: [Int32] = [0, 0]
      scan(icon["Position"] as? String, "%i,%i", into: &position)
      print(
        "\(cString(icon["Name"] as? String)) at \(position[0]), \(position[1]) "
          + "runs \(cString(icon["Command"] as? String))\(icon["Lock"] as? String == "Yes" ? ", locked" : "")"
      )
    }
    print("icons of \(number(defaults, "IconSize")) points\(truth(defaults, "Lowered") ? ", lowered" : "")")
  }

  static func main() throws {
    let arguments = ProcessInfo.processInfo.arguments
    let defaults = NSUserDefaults()
    let verb = arguments[1]
    let name = arguments.count > 2 ? arguments[2] : ""
    defaults.setSearchList(["dock", family])
    defaults.synchronize()
    var changed = icons(defaults)
    switch verb {
    case "add":
      changed.append([
        "Name": name, "Command": arguments[3], "Lock": "No", "Position": "\(arguments[4]),\(arguments[5])",
      ])
      setIcons(defaults, changed)
    case "remove":
      changed.removeAll { $0["Name"] as? String == name }
      setIcons(defaults, changed)
    case "lock":
      for index in changed.indices where changed[index]["Name"] as? String == name {
        changed[index]["Lock"] = "Yes"
      }
      setIcons(defaults, changed)
    case "share":
      var shared = defaults.persistentDomainForName(family) ?? [:]
      shared[name] = arguments[3]
      try defaults.setPersistentDomain(shared, forName: family)
    case "forget":
      defaults.removeObjectForKey(name)
    case "set":
      defaults.setObject(arguments[3], forKey: name)
    default:
      break
    }
    list(defaults)
    defaults.synchronize()
  }
}
