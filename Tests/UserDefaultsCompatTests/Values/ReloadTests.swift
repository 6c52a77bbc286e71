import DefaultsDatabase
import DefaultsDomains
import DefaultsFoundation
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing

@testable import UserDefaultsCompat

private typealias UserDefaults = UserDefaultsCompat.UserDefaults

/// Same answer before and after a reload, for every typed getter.
struct ReloadTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private var written: UserDefaults { UserDefaults(directory: home.path, applicationName: "App") }

  /// An object that shares nothing with others in memory, and so knows only what is in the files.
  private func reopened() throws -> UserDefaults {
    UserDefaults(
      store: DefaultsStore(
        user: PersistentDomains(database: UserDatabase(directory: home.path)),
        applicationName: try DomainName("App"),
        process: ProcessDomains(arguments: []), managed: nil))
  }

  /// What every getter answers, in a form that compares bit for bit.
  private func answers(_ defaults: UserDefaults, _ key: String) throws -> [String] {
    func text(_ value: Any?) throws -> String {
      guard let value else { return "nil" }
      return try FoundationValues.propertyList(value, path: key).text(style: .oneLine)
    }
    return try [
      text(defaults.object(forKey: key)), "\(defaults.bool(forKey: key))", "\(defaults.integer(forKey: key))",
      "\(defaults.float(forKey: key).bitPattern)", "\(defaults.double(forKey: key).bitPattern)",
      "\(defaults.string(forKey: key).map { Array($0.utf8) } ?? [])", text(defaults.array(forKey: key)),
      text(defaults.dictionary(forKey: key)),
      "\(defaults.stringArray(forKey: key)?.map { Array($0.utf8) } ?? [])",
      text(defaults.data(forKey: key)), "\(String(describing: defaults.url(forKey: key)?.absoluteString))",
    ]
  }

  private func check(_ objects: [(String, Any)]) throws {
    let defaults = written
    for (key, object) in objects { defaults.set(object, forKey: key) }
    let before = try objects.map { try answers(defaults, $0.0) }
    #expect(defaults.synchronize())
    let after = try reopened()
    for (index, (key, object)) in objects.enumerated() {
      #expect(try answers(after, key) == before[index], "\(object)")
      // As it is stored: a number of Foundation's forgets on Linux that it was a Float that is not finite.
      #expect(
        try after.store.value(for: PropertyListKey(key)) == FoundationValues.propertyList(object, path: key),
        "\(object)")
    }
  }

  @Test("the ends and oddities of every type come back as they were set")
  func limits() throws {
    let reals = [
      0, -0.0, 0.1, 0.30000000000000004, -.pi, 1e300, .leastNonzeroMagnitude, -2.2250738585072014e-308,
      .infinity, -.infinity,
      .nan,
      .greatestFiniteMagnitude, .leastNormalMagnitude, 9_007_199_254_740_992, 1e21, 1e-7,
    ]
    let floats: [Float] = [
      0, -0.0, 0.1, .infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 16_777_216,
    ]
    let dates = [
      0, 0.25, 1e-9, -1.75, 63_113_904_000, -63_114_076_800, 252_423_993_600, 1e300, 742_315_160.1234567,
    ]
    var objects: [Any] = [Int.min, Int.max, -1, 0, UInt64.max, UInt64(1) << 63, Int8.min, true, false]
    objects += reals.map { $0 as Any } + floats.map { $0 as Any }
    objects +=
      dates.map { Date(timeIntervalSinceReferenceDate: $0) as Any } + [Date.distantPast, Date.distantFuture]
    objects += [
      Data(), Data(0...255), "", "5", "YES", "5 /*integer*/", "\0\u{1}\r\n", "🦄é", "C:\\U0041", "\u{FEFF}x",
    ]
    objects += [
      [Any](), [String: Any](), [[1, 2.5, true] as [Any], ["a": ["b": Date.distantPast]]] as [Any],
    ]
    try check(objects.enumerated().map { ("k\($0)", $1) })
  }

  @Test("every NaN is the positive quiet one without a payload, before a reload and after it")
  func payloadsOfNaN() throws {
    let ordinary: UInt64 = 0x7FF8_0000_0000_0000
    let ordinarySingle: UInt32 = 0x7FC0_0000
    for bits in [ordinary, 0xFFF8_0000_0000_0000, 0x7FF8_0000_0000_002A, 0x7FF0_0000_0000_0001] {
      let (real, single) = (
        Double(bitPattern: bits), Float(bitPattern: 0x7F80_0000 | UInt32(bits & 63 | 0x80))
      )
      let defaults = written
      defaults.set(real, forKey: "double")
      defaults.set(single, forKey: "float")
      defaults.set([real, NSNumber(value: real), CGFloat(real)] as [Any], forKey: "doubles")
      defaults.set(["float": single] as [String: Any], forKey: "floats")
      defaults.set(Date(timeIntervalSinceReferenceDate: real), forKey: "date")
      // As the typed facade sets them.
      defaults.put(["typed": real.stored, "typed float": single.stored])
      func check(_ defaults: UserDefaults) throws {
        for key in ["double", "typed"] { #expect(defaults.double(forKey: key).bitPattern == ordinary) }
        for key in ["float", "typed float"] {
          #expect(defaults.float(forKey: key).bitPattern == ordinarySingle)
        }
        for number in try #require(defaults.array(forKey: "doubles") as? [Double]) {
          #expect(number.bitPattern == ordinary)
        }
        let floats = try #require(defaults.dictionary(forKey: "floats") as? [String: Float])
        #expect(floats["float"]?.bitPattern == ordinarySingle)
        let date = try #require(defaults.object(forKey: "date") as? Date)
        #expect(date.timeIntervalSinceReferenceDate.bitPattern == ordinary)
      }
      try check(defaults)
      #expect(defaults.synchronize())
      try check(try reopened())
    }
  }

  @Test("random values come back as they were set", arguments: 0..<20 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var random = RandomValues(seed: seed)
    var objects: [(String, Any)] = []
    for index in 0..<40 {
      guard case .dictionary(let entries) = random.dictionary() else { continue }
      // Foundation's dictionaries take spellings of the same characters for one key.
      for (key, value) in entries where !key.text.isEmpty && isWhole(value) {
        objects.append(("\(index) \(key.text)", FoundationValues.object(value)))
      }
    }
    try check(objects)
  }

  private func isWhole(_ value: PropertyList) -> Bool {
    switch value {
    case .array(let elements): elements.allSatisfy(isWhole)
    case .dictionary(let entries):
      Set(entries.keys.map(\.text)).count == entries.count && entries.values.allSatisfy(isWhole)
    default: true
    }
  }

  @Test("on disk are the classic class's strings with notes, which the classic class reads as strings")
  func file() throws {
    let defaults = written
    defaults.set(5, forKey: "Count")
    defaults.set(1.5, forKey: "Height")
    defaults.set(Float(12.34), forKey: "Single")
    defaults.set(true, forKey: "Visible")
    defaults.set(Date(timeIntervalSinceReferenceDate: 0.25), forKey: "Launched")
    defaults.set([1, 2], forKey: "Sizes")
    defaults.set("five", forKey: "Name")
    #expect(defaults.synchronize())
    #expect(
      String(decoding: try home.bytes(of: "App.plist"), as: UTF8.self) == """
        {
            Count = 5 /*integer*/;
            Height = 1.5 /*real*/;
            Launched = "2001-01-01 00:00:00.25 +0000" /*date*/;
            Name = five;
            Single = 12.34 /*float*/;
            Sizes = (1 /*integer*/, 2 /*integer*/);
            Visible = YES /*boolean*/;
        }

        """)
    let classic = NSUserDefaults(directory: home.path, applicationName: "App")
    #expect(classic.stringForKey("Count") == "5" && classic.stringForKey("Visible") == "YES")
    #expect(classic.boolForKey("Visible") && classic.floatForKey("Height") == 1.5)
    #expect(classic.stringArrayForKey("Sizes") == ["1", "2"])
  }

  @Test("a value that is no property list ends the process with a sentence, and is not stored")
  func refusal() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      UserDefaultsCompat.UserDefaults.inMemory().set(["a": [NSNull()]], forKey: "K")
    }
    let message = String(decoding: try #require(result?.standardErrorContent), as: UTF8.self)
    #expect(
      message.contains(#"the value for the key "K"["a"][0] is of type NSNull, which is no property list"#))
  }
}
