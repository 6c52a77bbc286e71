// The port of Compat/Porting/Originals/pane.m.

import Foundation

enum Pane {
  enum Editor: Int32 { case string, truth, number, array, choice }

  static func editor(_ entry: [String: Any]) -> Editor {
    Editor(rawValue: PropertyListObject(entry["editor"]).intValue) ?? .string
  }

  static func shown(_ entry: [String: Any], _ value: Any?) -> String {
    guard let value else { return "-" }
    switch editor(entry) {
    case .truth: return PropertyListObject(value).boolValue ? "yes" : "no"
    case .number: return cString(PropertyListObject(value).stringValue)
    case .array: return (value as? [String] ?? []).joined(separator: "|")
    case .string, .choice: return cString(value as? String)
    }
  }

  /// What the editor makes of a text; nil for a text that it refuses.
  static func edited(_ entry: [String: Any], _ text: String) -> Any? {
    let object = PropertyListObject(text)
    switch editor(entry) {
    case .truth:
      return object.boolValue
    case .number:
      if object.intValue < PropertyListObject(entry["minimum"]).intValue { return nil }
      return text.contains(".") ? object.doubleValue : object.intValue
    case .array:
      return text.components(separatedBy: ",")
    case .choice:
      return (entry["values"] as? [String])?.contains(text) == true ? text : nil
    case .string:
      return text
    }
  }

  static func update(_ defaults: NSUserDefaults, _ entry: [String: Any], _ value: Any?) throws {
    guard let name = entry["name"] as? String else { return }
    defaults.synchronize()
    var domain = defaults.persistentDomainForName(NSGlobalDomain) ?? [:]
    if let value, !PropertyListObject(value).isEqual(entry["default"]) {
      domain[name] = value
    } else {
      domain[name] = nil
    }
    try defaults.setPersistentDomain(domain, forName: NSGlobalDomain)
    defaults.synchronize()
  }

  static func main() throws {
    let arguments = ProcessInfo.processInfo.arguments
    let defaults = NSUserDefaults.standardUserDefaults()
    let verb = arguments[1]
    let entries = try [Any](contentsOfFile: defaults.stringForKey("Entries") ?? "")
    for entry in entries as? [[String: Any]] ?? [] {
      let name = cString(entry["name"] as? String)
      if verb == "set", name == arguments[2] {
        if let value = edited(entry, arguments[3]) {
          try update(defaults, entry, value)
        } else {
          print("\(arguments[3]) is refused")
        }
      }
      if verb == "revert", name == arguments[2] { try update(defaults, entry, nil) }
      let value = defaults.persistentDomainForName(NSGlobalDomain)?[name]
      print("\(name): \(shown(entry, value)), by default \(shown(entry, entry["default"]))")
    }
  }
}
