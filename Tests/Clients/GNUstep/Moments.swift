import Foundation

// The port of Tests/GNUstepPrograms/moments.m, in which only the syntax has changed.

/// The lines that the original prints, as names and answers.
public func moments() -> [[String]] {
  let values = ["Other": "value"]
  let counter = Counter()
  var lines: [[String]] = []
  func count(_ moment: String, _ body: () -> Void) {
    counter.count = 0
    body()
    lines.append([moment, "\(counter.count)"])
  }
  func names(_ what: String, _ names: [String]?) {
    lines.append([what, (names ?? []).joined(separator: " ")])
  }
  let observer = NotificationCenter.default.addObserver(
    forName: NSUserDefaultsDidChangeNotification, object: nil, queue: nil
  ) { _ in counter.count += 1 }
  defer { NotificationCenter.default.removeObserver(observer) }

  count("the shared object is made") { _ = NSUserDefaults.standardUserDefaults() }
  count("the shared object is there") { _ = NSUserDefaults.standardUserDefaults() }
  var defaults = NSUserDefaults.standardUserDefaults()
  names("search list", defaults.searchList())
  count("first synchronize") { defaults.synchronize() }
  count("synchronize with nothing to do") { defaults.synchronize() }
  count("new value") { defaults.setObject("value", forKey: "Key") }
  count("another value") { defaults.setInteger(5, forKey: "Number") }
  count("equal value") { defaults.setObject("value", forKey: "Key") }
  count("removed key") { defaults.removeObjectForKey("Number") }
  count("absent key") { defaults.removeObjectForKey("Number") }
  count("nil") { defaults.setObject(nil, forKey: "Number") }
  count("synchronize that writes") { defaults.synchronize() }
  count("synchronize after it") { defaults.synchronize() }
  count("registered defaults") { defaults.registerDefaults(values) }
  count("new volatile domain") { try? defaults.setVolatileDomain(values, forName: "Volatile") }
  count("removed volatile domain") { defaults.removeVolatileDomainForName("Volatile") }
  count("absent volatile domain") { defaults.removeVolatileDomainForName("Volatile") }
  count("new suite") { defaults.addSuiteNamed("Suite") }
  names("search list with a suite", defaults.searchList())
  count("removed suite") { defaults.removeSuiteNamed("Suite") }
  let list = defaults.searchList()
  count("other search list") { defaults.setSearchList(list + ["Listed"]) }
  count("equal search list") { defaults.setSearchList(defaults.searchList()) }
  defaults.setSearchList(list)
  count("new persistent domain") { try? defaults.setPersistentDomain(values, forName: "Persistent") }
  count("equal persistent domain") { try? defaults.setPersistentDomain(values, forName: "Persistent") }
  count("removed persistent domain") { defaults.removePersistentDomainForName("Persistent") }
  count("absent persistent domain") { defaults.removePersistentDomainForName("Persistent") }
  names("languages", NSUserDefaults.userLanguages())
  count("chosen languages") { NSUserDefaults.setUserLanguages(["French"]) }
  names("languages after the choice", NSUserDefaults.userLanguages())
  names("the object's languages after the choice", defaults.stringArrayForKey("NSLanguages"))
  names("search list after the choice", defaults.searchList())
  count("shared object made anew") { NSUserDefaults.resetStandardUserDefaults() }
  defaults = NSUserDefaults.standardUserDefaults()
  names("languages made anew", NSUserDefaults.userLanguages())
  lines.append(["registered, made anew", defaults.stringForKey("Other") ?? "none"])
  lines.append(["value for key", defaults.valueForKey("Key") as? String ?? "none"])
  defaults.setValue("set", forKey: "Key")
  lines.append(["set value for key", defaults.objectForKey("Key") as? String ?? "none"])
  defaults.setValue(nil, forKey: "Key")
  lines.append(["nil for key", defaults.objectForKey("Key") == nil ? "none" : "still there"])
  defaults.synchronize()

  var other: NSUserDefaults? = NSUserDefaults()
  names("search list of a new object", other?.searchList())
  count("first synchronize of a new object") { other?.synchronize() }
  count("second synchronize of a new object") { other?.synchronize() }
  count("third synchronize of a new object") { other?.synchronize() }
  other = NSUserDefaults(user: NSUserName())
  names("search list of a user's object", other?.searchList())
  names("volatile domains of a user's object", other?.volatileDomainNames())
  return lines
}

// Unchecked: only one thread changes the defaults, and so the count.
/// Counts notifications.
private final class Counter: @unchecked Sendable {
  var count = 0
}
