// The port of Compat/Porting/Originals/traps.m, and beside each line the careless translation, which compiles too.

import Foundation

enum Traps {
  static func right(_ defaults: NSUserDefaults) {
    print("a number from the command line: \(PropertyListObject(defaults.objectForKey("Columns")).intValue)")
    let ratio = PropertyListObject(defaults.objectForKey("Ratio")).floatValue
    print("a number as a float: \(String(format: "%g", ratio))")
    print("a float in print: \(String(format: "%g", defaults.floatForKey("Points")))")
    print("a truth value as text: \(cString(PropertyListObject(defaults.objectForKey("On")).stringValue))")
    let isTruthValue =
      switch defaults.propertyListForKey("One") {
      case .boolean: true
      default: false
      }
    print("the kind of 1: \(isTruthValue ? "a truth value" : "a number")")
    print("a long number's intValue: \(PropertyListObject(defaults.objectForKey("Long")).intValue)")
    let three = defaults.objectForKey("Three")
    print(
      "text and number: \(!(three is String) && PropertyListObject(three).isEqual(3) ? "equal" : "different")"
    )
    print("a number's stringForKey: \(cString(defaults.stringForKey("One")))")

    var outer: [String: Any] = [:]
    var inner: [String: Any] = [:]
    inner["Key"] = "late"
    outer["Inner"] = inner
    defaults.setObject(outer, forKey: "Outer")
    print("a change inside: \((defaults.dictionaryForKey("Outer")?["Inner"] as? [String: Any])?.count ?? 0)")
  }

  static func careless(_ defaults: NSUserDefaults) {
    // A value of the command line is a string, and a cast of a string is nil.
    print("a number from the command line: \(defaults.objectForKey("Columns") as? Int ?? 0)")
    // A cast of a number is nil where it would round.
    print("a number as a float: \(String(format: "%g", defaults.objectForKey("Ratio") as? Float ?? 0))")
    // Swift prints a float with a point.
    print("a float in print: \(defaults.floatForKey("Points"))")
    // Swift prints a truth value as a word.
    print("a truth value as text: \(defaults.objectForKey("On") as? Bool ?? false)")
    // A cast to Bool takes the numbers 0 and 1 too.
    print("the kind of 1: \(defaults.objectForKey("One") is Bool ? "a truth value" : "a number")")
    // An int has 32 bits, and an Int 64.
    print("a long number's intValue: \(PropertyListObject(defaults.objectForKey("Long")).integerValue)")
    // To PropertyListObject a text equals the number whose digits it has.
    let three = PropertyListObject(defaults.objectForKey("Three"))
    print("text and number: \(three.isEqual(3) ? "equal" : "different")")
    // Without the alias the name means OPENSTEP's class, in which every value is text.
    let classic = OpenStepDefaults.NSUserDefaults(gnustepDirectory: nil)
    print("a number's stringForKey: \(cString(classic.stringForKey("One")))")

    // A dictionary is a value: what was put in is a copy.
    var outer: [String: Any] = [:]
    var inner: [String: Any] = [:]
    outer["Inner"] = inner
    inner["Key"] = "late"
    defaults.setObject(outer, forKey: "Outer")
    print("a change inside: \((defaults.dictionaryForKey("Outer")?["Inner"] as? [String: Any])?.count ?? 0)")
  }

  static func otherwise(_ defaults: NSUserDefaults) {
    defaults.setFloat(0.1, forKey: "Ratio")
    print("a float as a double: \(String(format: "%.9g", defaults.doubleForKey("Ratio")))")
    defaults.setObject("text", forKey: "Key")
    defaults.synchronize()
    let other = NSUserDefaults()
    other.setSearchList(["traps"])
    print("an object of init: \(other.objectForKey("Key") != nil ? "finds" : "does not find")")
    defaults.setURL(URL(string: "https://example.org/"), forKey: "Page")
    print("URLs: \(defaults.URLForKey("Page") != nil ? "yes" : "no")")
  }

  static func main() {
    let defaults = NSUserDefaults.standardUserDefaults()
    if CommandLine.arguments[1] == "otherwise" { return otherwise(defaults) }
    defaults.setDouble(0.1, forKey: "Ratio")
    defaults.setFloat(12, forKey: "Points")
    defaults.setBool(true, forKey: "On")
    defaults.setInteger(1, forKey: "One")
    defaults.setObject(4_294_967_297, forKey: "Long")
    defaults.setObject("3", forKey: "Three")
    if CommandLine.arguments[1] == "right" { right(defaults) } else { careless(defaults) }
  }
}
