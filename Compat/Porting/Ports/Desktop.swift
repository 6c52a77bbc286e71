// The port of Compat/Porting/Originals/desktop.m.

import Foundation

enum Desktop {
  static let fileDidChange = Notification.Name("FileDidChange")

  final class FileDefaults {
    private var values: [String: Any]
    private let path: String
    private var isChanged = false

    init(path: String) {
      self.path = path
      // As in the original, a file that is missing and one that is damaged are the same.
      values = (try? [String: Any](contentsOfFile: path)) ?? [:]
    }

    private func scalarForKey(_ key: String) -> Any? {
      values[key].flatMap { $0 is String || $0 is NSNumber ? $0 : nil }
    }

    func integerForKey(_ key: String) -> Int {
      guard let value = scalarForKey(key) else { return -1 }
      return PropertyListObject(value).integerValue
    }

    func boolForKey(_ key: String) -> Bool {
      PropertyListObject(scalarForKey(key)).boolValue
    }

    func stringForKey(_ key: String) -> String? {
      values[key] as? String
    }

    func setObject(_ value: Any, forKey key: String) {
      values[key] = value
      isChanged = true
    }

    func synchronize() -> Bool {
      if !isChanged { return true }
      do {
        try values.write(toFile: path, atomically: true, format: .text(.gnustep))
      } catch {
        return false
      }
      isChanged = false
      NotificationCenter.default.post(name: Desktop.fileDidChange, object: self)
      return true
    }
  }

  static func main() throws {
    let arguments = ProcessInfo.processInfo.arguments
    let defaults = NSUserDefaults.standardUserDefaults()
    let file = FileDefaults(path: (defaults.stringForKey("Folder") ?? "") + "/Desktop")
    let observer = NotificationCenter.default.addObserver(
      forName: fileDidChange, object: file, queue: nil
    ) { notification in
      print("written, speed \((notification.object as? FileDefaults)?.integerForKey("Speed") ?? 0)")
    }
    var global = defaults.persistentDomainForName("NXGlobalDomain") ?? [:]
    switch arguments[1] {
    case "file":
      file.setObject(arguments[3], forKey: arguments[2])
    case "number":
      file.setObject(PropertyListObject(arguments[3]).integerValue, forKey: arguments[2])
    case "global":
      global[arguments[2]] = arguments[3]
      try defaults.setPersistentDomain(global, forName: "NXGlobalDomain")
    default:
      break
    }
    print(
      "file: speed \(file.integerForKey("Speed")), hides \(file.boolForKey("Hides") ? 1 : 0), "
        + "name \(cString(file.stringForKey("Name")))")
    for key in global.keys.sorted() { print("global: \(key) = \(cString(global[key] as? String))") }
    // The domain is in no search list.
    print("found: \(cString(defaults.stringForKey("Speed")))")
    print("\(file.synchronize() ? 1 : 0) \(defaults.synchronize() ? 1 : 0)")
    NotificationCenter.default.removeObserver(observer)
  }
}
