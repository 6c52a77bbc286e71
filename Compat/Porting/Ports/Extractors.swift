// The port of Compat/Porting/Originals/extractors.m: the categories are extensions.

import Foundation

private func truth(_ object: Any?, _ otherwise: Bool) -> Bool {
  if let text = (object as? String)?.lowercased() {
    if ["yes", "true", "on"].contains(text) || PropertyListObject(text).doubleValue != 0 { return true }
    return ["no", "false", "off", "0"].contains(text) ? false : otherwise
  }
  return object is NSNumber ? PropertyListObject(object).boolValue : otherwise
}

private func integer(_ object: Any?, _ minimum: Int, _ maximum: Int, _ otherwise: Int) -> Int {
  guard object is String || object is NSNumber else { return otherwise }
  let value = PropertyListObject(object).integerValue
  if value == 0, let text = object as? String, !text.hasPrefix("0") { return otherwise }
  return min(max(value, minimum), maximum)
}

private func real(_ object: Any?, _ otherwise: Double) -> Double {
  guard object is String || object is NSNumber else { return otherwise }
  let value = PropertyListObject(object).doubleValue
  if value == 0, let text = object as? String, !text.hasPrefix("0") { return otherwise }
  return value
}

extension [String: Any] {
  fileprivate func byteForKey(_ key: String, defaultValue: Int) -> Int {
    integer(self[key], 0, 255, defaultValue)
  }

  fileprivate func textForKey(_ key: String, defaultValue: String) -> String {
    PropertyListObject(self[key]).stringValue ?? defaultValue
  }
}

extension NSUserDefaults {
  fileprivate func boolForKey(_ key: String, defaultValue: Bool) -> Bool {
    truth(objectForKey(key), defaultValue)
  }

  fileprivate func intForKey(_ key: String, defaultValue: Int) -> Int {
    integer(objectForKey(key), -2_147_483_648, 2_147_483_647, defaultValue)
  }

  fileprivate func doubleForKey(_ key: String, defaultValue: Double) -> Double {
    real(objectForKey(key), defaultValue)
  }

  fileprivate func arrayForKey(_ key: String, defaultValue: [Any]) -> [Any] {
    objectForKey(key) as? [Any] ?? defaultValue
  }
}

enum Extractors {
  static func show(_ defaults: NSUserDefaults) {
    let volume = String(format: "%.3g", defaults.doubleForKey("Volume", defaultValue: 0.5))
    let view = String(format: "%.6g", defaults.doubleForKey("View", defaultValue: 57.2))
    print(
      "fullscreen \(defaults.boolForKey("Fullscreen", defaultValue: true) ? 1 : 0), "
        + "width \(defaults.intForKey("Width", defaultValue: 640)), "
        + "height \(defaults.intForKey("Height", defaultValue: 480)), volume \(volume), field of view \(view)"
    )
    for case let axis as [String: Any] in defaults.arrayForKey("Axes", defaultValue: []) {
      print(
        "axis \(axis.textForKey("name", defaultValue: "?")): stick \(axis.byteForKey("stick", defaultValue: 1)), "
          + "dead zone \(axis.byteForKey("zone", defaultValue: 16))")
    }
  }

  static func main() throws {
    let arguments = ProcessInfo.processInfo.arguments
    let defaults = NSUserDefaults.standardUserDefaults()
    switch arguments[1] {
    case "set":
      defaults.setObject(try PropertyList(parsing: arguments[3]).object(), forKey: arguments[2])
    case "number":
      defaults.setInteger(PropertyListObject(arguments[3]).integerValue, forKey: arguments[2])
    case "real":
      defaults.setDouble(PropertyListObject(arguments[3]).doubleValue, forKey: arguments[2])
    case "truth":
      defaults.setBool(PropertyListObject(arguments[3]).boolValue, forKey: arguments[2])
    default:
      break
    }
    show(defaults)
    defaults.synchronize()
  }
}
