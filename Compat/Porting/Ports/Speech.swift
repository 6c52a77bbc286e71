// The port of Compat/Porting/Originals/speech.m: C strings are Swift's, and a function that may find nothing
// gives nil.

import Foundation

// The names are NeXT's.
// swift-format-ignore: AlwaysUseLowerCamelCase
@MainActor enum Speech {
  static var registered: [String: [String: String]] = [:]
  static var set: [String: [String: String]] = [:]

  static func NXRegisterDefaults(_ owner: String, _ vector: [(name: String, value: String)]) {
    registered[owner] = Dictionary(vector.map { ($0.name, $0.value) }) { $1 }
  }

  /// What is written for the owner, or for all.
  static func NXReadDefault(_ owner: String, _ name: String) -> String? {
    let defaults = NSUserDefaults.standardUserDefaults()
    let value =
      defaults.persistentDomainForName(owner)?[name]
      ?? defaults.persistentDomainForName(NSGlobalDomain)?[name]
    return value as? String
  }

  static func NXGetDefaultValue(_ owner: String, _ name: String) -> String? {
    let arguments = NSUserDefaults.standardUserDefaults().volatileDomainForName(NSArgumentDomain)
    return arguments?[name] as? String ?? set[owner]?[name] ?? NXReadDefault(owner, name)
      ?? registered[owner]?[name]
  }

  static func NXSetDefault(_ owner: String, _ name: String, _ value: String) {
    set[owner, default: [:]][name] = value
  }

  private static func change(_ owner: String, _ name: String, _ value: String?) throws -> Bool {
    let defaults = NSUserDefaults.standardUserDefaults()
    var domain = defaults.persistentDomainForName(owner) ?? [:]
    domain[name] = value
    try defaults.setPersistentDomain(domain, forName: owner)
    return defaults.synchronize()
  }

  static func NXWriteDefault(_ owner: String, _ name: String, _ value: String) throws -> Bool {
    try change(owner, name, value)
  }

  static func NXRemoveDefault(_ owner: String, _ name: String) throws -> Bool {
    try change(owner, name, nil)
  }

  static func show() {
    let login = NXGetDefaultValue("Speech", "SpeakLogin") != "NO" ? "spoken" : "silent"
    let rate = PropertyListObject(NXGetDefaultValue("Speech", "Rate")).doubleValue
    print(
      "speech: login \(login), voice \(cString(NXGetDefaultValue("Speech", "Voice"))), "
        + "rate \(String(format: "%g", rate))")
    var grid: [Float] = [0, 0, 0]
    scan(NXGetDefaultValue("Map Editor", "Grid"), "%f:%f:%f", into: &grid)
    print(
      "editor: voice \(cString(NXGetDefaultValue("Map Editor", "Voice"))), "
        + "grid \(String(format: "%1.2f:%1.2f:%1.2f", grid[0], grid[1], grid[2])), "
        + "launch \(PropertyListObject(NXGetDefaultValue("Map Editor", "Launch")).intValue)")
    print("written: \(cString(NXReadDefault("Speech", "Voice")))")
  }

  static func main() throws {
    let arguments = CommandLine.arguments
    var hasSucceeded = true
    NXRegisterDefaults("Speech", [("SpeakLogin", "YES"), ("Voice", "male"), ("Rate", "1.25")])
    NXRegisterDefaults("Map Editor", [("Voice", "none"), ("Grid", "0.8:0.8:0.8"), ("Launch", "1")])
    switch arguments[1] {
    case "write": hasSucceeded = try NXWriteDefault(arguments[2], arguments[3], arguments[4])
    case "remove": hasSucceeded = try NXRemoveDefault(arguments[2], arguments[3])
    case "later": NXSetDefault(arguments[2], arguments[3], arguments[4])
    default: break
    }
    show()
    if !hasSucceeded { exit(1) }
  }
}
