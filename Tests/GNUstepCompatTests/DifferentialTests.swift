import DefaultsDatabase
import DefaultsFoundation
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing
import UserDefaultsCompat

@testable import GNUstepCompat

/// GNUstep's class and this package's, in turn on one database: every answer of the one is the other's.
@Suite(.serialized, .enabled(if: GNUstepProgram.isExpected, Comment(rawValue: GNUstepProgram.absence)))
struct DifferentialTests {
  private let shared: GNUstepHome

  init() throws {
    shared = try GNUstepHome()
  }

  /// One call, as both sides understand it.
  private struct Call: CustomStringConvertible {
    let verb: String
    var name = ""
    var value: PropertyList?
    var text = ""

    /// The line that the GNUstep program takes.
    var line: String {
      get throws {
        let digits =
          try value.map { Call.digits(try $0.bytes(style: .gnustep)) } ?? Call.digits(Array(text.utf8))
        let words = verb == "register" ? [digits] : [Call.digits(Array(name.utf8)), digits]
        return ([verb] + words).joined(separator: " ")
      }
    }

    /// Whether it changes nothing on disk.
    var isOfTheProcess: Bool { ["register", "add", "drop"].contains(verb) }

    var description: String { "\(verb) \(name.debugDescription) \(value.map { "\($0)" } ?? text)" }

    static let keys = ["a", "Key", "with space", "é", "日本", "\"", "x.y", "-", "<*I5>", "e\u{301}"]

    static func random(_ random: inout RandomValues) -> Call {
      let key = random.element(of: keys) ?? ""
      let verb = random.element(of: [
        "object", "object", "object", "bool", "integer", "double", "float", "remove", "register", "add",
        "drop",
        "replace",
      ])
      let domain = random.element(of: ["App", "NSGlobalDomain"]) ?? ""
      switch verb {
      case "bool": return Call(verb: "bool", name: key, text: random.element(of: ["0", "1"]) ?? "")
      case "integer":
        let texts = ["-1", "42", "\(Int.max)", "\(Int.min)", "1234567890123"]
        return Call(verb: "integer", name: key, text: random.element(of: texts) ?? "")
      case "double":
        let texts = ["0.1", "1e18", "1.5", "-3.75", "1e-5", "123456789.25", "5e-324"]
        return Call(verb: "double", name: key, text: random.element(of: texts) ?? "")
      case "float":
        return Call(verb: "float", name: key, text: random.element(of: ["0.5", "-2", "65536"]) ?? "")
      case "remove": return Call(verb: "remove", name: key)
      case "register", "replace":
        var entries: [PropertyListKey: PropertyList] = [:]
        // The last key is another spelling of one before it, which Swift's dictionaries take for the same.
        for _ in 0..<2 {
          entries[PropertyListKey(random.element(of: Array(keys.dropLast())) ?? "")] = value(&random)
        }
        let isRegistration = verb == "register"
        return Call(verb: verb ?? "", name: isRegistration ? "" : domain, value: .dictionary(entries))
      case "add", "drop": return Call(verb: verb ?? "", name: random.element(of: ["Suite", "Other"]) ?? "")
      default: return Call(verb: "object", name: key, value: value(&random))
      }
    }

    private static func value(_ random: inout RandomValues) -> PropertyList {
      while true {
        let texts = ["YES", "no", "12abc", " 7", "1e3", "0x10", "-5", "+9", "tRUE", "nan", "", "3.9", "inf"]
        if random.element(of: [true, false, false]) == true {
          return .string(random.element(of: texts) ?? "")
        }
        guard case .dictionary(let entries) = random.dictionary(),
          let value = entries.sorted(by: { $0.key < $1.key }).map(\.value).first(where: SharingTests.isKept)
        else { continue }
        return value
      }
    }

    private static func digits(_ bytes: [UInt8]) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  private func play(_ call: Call, on defaults: GNUstepUserDefaults) throws {
    let object = call.value.map(FoundationValues.object)
    switch call.verb {
    case "object": defaults.setObject(object, forKey: call.name)
    case "bool": defaults.setBool(call.text != "0", forKey: call.name)
    case "integer": defaults.setInteger(try #require(Int(call.text)), forKey: call.name)
    case "double": defaults.setDouble(try #require(Double(call.text)), forKey: call.name)
    case "float": defaults.setFloat(try #require(Float(call.text)), forKey: call.name)
    case "remove": defaults.removeObjectForKey(call.name)
    case "register": defaults.registerDefaults(try #require(object as? [String: Any]))
    case "add": defaults.addSuiteNamed(call.name)
    case "drop": defaults.removeSuiteNamed(call.name)
    case "replace":
      try defaults.setPersistentDomain(try #require(object as? [String: Any]), forName: call.name)
    default: Issue.record("\(call.verb)")
    }
  }

  /// What every getter says of a key.
  private func answers(of defaults: GNUstepUserDefaults, _ key: String) throws -> PropertyList {
    var answers: [String: Any] = [
      "bool": defaults.boolForKey(key), "integer": defaults.integerForKey(key),
      "float": Double(defaults.floatForKey(key)), "double": defaults.doubleForKey(key),
    ]
    answers["object"] = defaults.objectForKey(key)
    answers["string"] = defaults.stringForKey(key)
    answers["strings"] = defaults.stringArrayForKey(key)
    answers["array"] = defaults.arrayForKey(key)
    answers["dictionary"] = defaults.dictionaryForKey(key)
    answers["data"] = defaults.dataForKey(key)
    return try FoundationValues.propertyList(answers, path: key)
  }

  /// Without what GNUstep's class is known to do otherwise.
  private func comparable(_ answers: PropertyList) -> PropertyList {
    guard case .dictionary(var answers) = answers, case .real(let number)? = answers["double"] else {
      return answers
    }
    // Too large a number is the smallest integer there.
    if abs(number) >= 0x1p63 { answers["integer"] = nil }
    // It keeps what has the same value as what is set or read, a truth value for a number.
    switch answers["object"] {
    case .boolean, .integer, .real: answers["object"] = .real(number)
    // It reads on behind a NUL to tell whether a string is true.
    case .string(let text) where text.utf8.contains(0): answers["bool"] = nil
    default: break
    }
    return .dictionary(answers)
  }

  @Test("random calls of either side are seen alike by both", arguments: 1...3)
  func randomCalls(seed: UInt64) throws {
    let program = try GNUstepProgram("player", named: "App")
    // GNUstep's class looks only once at domains that are neither the application's nor the global one.
    for (name, key) in [("Suite", "a"), ("Suite", "Key"), ("Other", "Key"), ("Other", "x.y")] {
      try shared.gnustepDefaults("write", name, key, "<*I\(name.utf8.count)>")
    }
    let player = try Conversation(program.url, [], environment: shared.environment)
    defer { player.end() }
    let defaults = GNUstepUserDefaults(directory: shared.directory, applicationName: "App", arguments: [])
    func ask(_ call: Call) throws -> PropertyList? {
      let answer = try player.ask(try call.line)
      return answer == "none" ? nil : try PropertyList(tagged: JSONValue(parsing: Data(answer.utf8)))
    }
    var random = RandomValues(seed: seed, range: .gnustep)
    var calls: [Call] = []
    for step in 0..<150 {
      let call = Call.random(&random)
      calls.append(call)
      if call.isOfTheProcess {
        #expect(try ask(call) == "done", "\(call)")
        try play(call, on: defaults)
        #expect(try ask(Call(verb: "sync")) == .boolean(true))
        #expect(defaults.synchronize())
      } else if step % 2 == 0 {
        #expect(try ask(call) == "done", "\(call)")
        #expect(try ask(Call(verb: "sync")) == .boolean(true))
        #expect(defaults.synchronize())
      } else {
        try play(call, on: defaults)
        #expect(defaults.synchronize())
        #expect(try ask(Call(verb: "sync")) == .boolean(true))
      }
      for key in Call.keys {
        let theirs = try ask(Call(verb: "get", name: key)).map(comparable)
        let ours = comparable(try answers(of: defaults, key))
        if theirs != ours {
          let calls = calls.map { "\($0)" }.joined(separator: "\n")
          Issue.record(
            """
            \(calls)
            then \(key.debugDescription) is
            \(theirs.map { "\($0)" } ?? "nothing") for GNUstep and
            \(ours) here; \(defaults.lastError.map { "\($0)" } ?? "no error")
            """)
          return
        }
      }
    }
    let list = try ask(Call(verb: "list"))
    #expect(list == .array(defaults.searchList().map { .string($0) }))
    let domains = try ask(Call(verb: "domains"))
    #expect(domains == .array(defaults.persistentDomainNames().sorted().map { .string($0) }))
  }
}
