// The port of Compat/Porting/Originals/terminal.m.

import Foundation

enum Terminal {
  final class Preferences {
    private let store: any ObjectStore

    init(store: any ObjectStore) {
      self.store = store
    }

    private func scalarForKey(_ key: String) -> Any? {
      let value = store.objectForKey(key)
      return value is String || value is NSNumber ? value : nil
    }

    func floatForKey(_ key: String) -> Float {
      PropertyListObject(scalarForKey(key)).floatValue
    }

    func integerForKey(_ key: String) -> Int {
      guard let value = scalarForKey(key) else { return -1 }
      return PropertyListObject(value).integerValue
    }

    func boolForKey(_ key: String) -> Bool {
      PropertyListObject(scalarForKey(key)).boolValue
    }

    func setBool(_ value: Bool, forKey key: String) {
      (store as? NSUserDefaults)?.setObject(value ? "YES" : "NO", forKey: key)
    }

    func setInteger(_ value: Int, forKey key: String) {
      (store as? NSUserDefaults)?.setObject(value, forKey: key)
    }

    func show() {
      let services = store.objectForKey("Services") as? [String: Any] ?? [:]
      let points: Float = floatForKey("Points") == 0 ? 12 : floatForKey("Points")
      var colour: [Float] = [1, 1, 1]
      print("\(integerForKey("Columns") <= 0 ? 80 : integerForKey("Columns")) columns, ", terminator: "")
      print("\(integerForKey("Lines") <= 0 ? 25 : integerForKey("Lines")) lines, ", terminator: "")
      print("letters of \(String(format: "%g", points)) points")
      scan(store.objectForKey("CursorColour") as? String, "%f %f %f", into: &colour)
      let cursor = String(format: "%.2f %.2f %.2f", colour[0], colour[1], colour[2])
      print("cursor \(cursor)\(boolForKey("CursorBlinks") ? ", blinking" : "")")
      for name in services.keys.sorted() {
        let service = services[name] as? [String: Any] ?? [:]
        print(
          "service \(name): \(cString(service["Command"] as? String)), "
            + "input \(PropertyListObject(service["Input"]).intValue)")
      }
    }
  }

  static func main() throws {
    let arguments = ProcessInfo.processInfo.arguments
    let defaults = NSUserDefaults.standardUserDefaults()
    let verb = arguments[1]
    let store: any ObjectStore = verb == "open" ? try [String: Any](contentsOfFile: arguments[2]) : defaults
    let preferences = Preferences(store: store)
    switch verb {
    case "size":
      preferences.setInteger(Int(PropertyListObject(arguments[2]).intValue), forKey: "Columns")
      preferences.setInteger(Int(PropertyListObject(arguments[3]).intValue), forKey: "Lines")
      defaults.setFloat(PropertyListObject(arguments[4]).floatValue, forKey: "Points")
    case "cursor":
      let parts = arguments[2...4].map { PropertyListObject($0).floatValue }
      defaults.setObject(String(format: "%f %f %f", parts[0], parts[1], parts[2]), forKey: "CursorColour")
      preferences.setBool(PropertyListObject(arguments[5]).boolValue, forKey: "CursorBlinks")
    case "service":
      var services = defaults.dictionaryForKey("Services") ?? [:]
      services[arguments[2]] = ["Command": arguments[3], "Input": arguments[4]]
      defaults.setObject(services, forKey: "Services")
    case "save":
      let domain = defaults.persistentDomainForName("terminal") ?? [:]
      try domain.write(toFile: arguments[2], atomically: true, format: .text(.gnustep))
      print("written")
    default:
      break
    }
    preferences.show()
    defaults.synchronize()
  }
}
