// The port of Compat/Porting/Originals/preference.m.

import Foundation

private let preferenceDidChange = Notification.Name("PreferenceDidChange")

private final class Preference {
  @MainActor private static var preferences: [String: Preference] = [:]

  private let key: String
  private var known: Any?

  private init(key: String) {
    self.key = key
  }

  @MainActor static func preferenceForKey(_ key: String) -> Preference {
    if let preference = preferences[key] { return preference }
    let preference = Preference(key: key)
    preferences[key] = preference
    return preference
  }

  var defaultValue: Any? {
    NSUserDefaults.standardUserDefaults().volatileDomainForName(NSRegistrationDomain)?[key]
  }

  var value: Any? {
    if known == nil { known = NSUserDefaults.standardUserDefaults().objectForKey(key) }
    return known
  }

  func setValue(_ value: Any?) {
    let defaults = NSUserDefaults.standardUserDefaults()
    if let value {
      defaults.setObject(value, forKey: key)
    } else {
      defaults.removeObjectForKey(key)
    }
    known = nil
    NotificationCenter.default.post(name: preferenceDidChange, object: self)
  }

  var isPersistent: Bool {
    let defaults = NSUserDefaults.standardUserDefaults()
    return defaults.persistentDomainForName("preference")?[key] != nil
      || defaults.persistentDomainForName(NSGlobalDomain)?[key] != nil
  }

  var text: String {
    switch value {
    case let array as [String]: array.joined(separator: ", ")
    case let data as Data: "\(data.count) bytes"
    case let date as Date: String(format: "%.0f seconds", date.timeIntervalSinceReferenceDate)
    case let object: cString(PropertyListObject(object).stringValue)
    }
  }
}

enum PreferenceProgram {
  /// A text as a value of the type that another value has; nil if it is none.
  static func coerced(_ text: String, _ model: Any?) throws -> Any? {
    guard let model else { return nil }
    let object = PropertyListObject(text)
    // Where the original asks for a class and for objCType, this asks for the kind of property list.
    switch try PropertyList(object: model) {
    case .string: return text
    case .real, .float: return object.doubleValue
    case .boolean: return object.boolValue
    case .integer: return object.integerValue
    case .date: return Date(timeIntervalSinceReferenceDate: object.doubleValue)
    case .data: return Data(text.utf8)
    case .array: return text.components(separatedBy: " ")
    case .dictionary: return nil
    }
  }

  @MainActor static func main() throws {
    let arguments = ProcessInfo.processInfo.arguments
    let defaults = NSUserDefaults.standardUserDefaults()
    let verb = arguments[1]
    let registered = try [String: Any](contentsOfFile: defaults.stringForKey("Registered") ?? "")
    let observer = NotificationCenter.default.addObserver(
      forName: preferenceDidChange, object: nil, queue: nil
    ) { notification in print("changed to \(cString((notification.object as? Preference)?.text))") }
    defaults.registerDefaults(registered)
    for key in registered.keys.sorted() {
      let preference = Preference.preferenceForKey(key)
      if arguments.count > 2, key == arguments[2] {
        preference.setValue(verb == "set" ? try coerced(arguments[3], preference.defaultValue) : nil)
      }
      print(
        "\(key): \(preference.text)"
          + (PropertyListObject(preference.value).isEqual(preference.defaultValue) ? ", the default" : "")
          + (preference.isPersistent ? ", stored" : ""))
    }
    defaults.synchronize()
    NotificationCenter.default.removeObserver(observer)
  }
}
