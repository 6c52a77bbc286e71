import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList
import TestSupport
import Testing
import UserDefaultsCompat

/// Deep values on a thread with a small stack.
struct SmallStackTests {
  /// A text inside so many containers, as Swift's and as Foundation's.
  private static func objects(_ depth: Int, inDictionaries: Bool) -> [Any] {
    var (swift, foundation): (Any, NSObject) = ("x", NSString("x"))
    for _ in 0..<depth {
      swift = inDictionaries ? ["k": swift] as [String: Any] : [swift]
      foundation =
        inDictionaries ? NSDictionary(object: foundation, forKey: NSString("k")) : NSArray(object: foundation)
    }
    return [swift, foundation]
  }

  @Test("500 nested containers are set, read and saved; one more is refused", arguments: [false, true])
  func set(inDictionaries: Bool) async throws {
    let home = try TemporaryHome()
    let expected = nested(500, inDictionaries: inDictionaries)
    let kinds = Self.objects(500, inDictionaries: inDictionaries).count
    for kind in 0..<kinds {
      let isRight = await onThread {
        let object = Self.objects(500, inDictionaries: inDictionaries)[kind]
        let defaults = UserDefaults(directory: home.path + "/Modern", applicationName: "App")
        defaults.set(object, forKey: "k")
        defaults.set(defaults.object(forKey: "k"), forKey: "copy")
        defaults.register(defaults: ["registered": object])
        return defaults.synchronize() && defaults.storedValue(for: "k") == expected
          && defaults.storedValue(for: "copy") == expected
          && defaults.storedValue(for: "registered") == expected
          && defaults.dictionaryRepresentation()["k"] != nil
      }
      #expect(isRight)
      let isRefused = await onThread {
        let deeper = Self.objects(501, inDictionaries: inDictionaries)[kind]
        return (try? UserDefaults.validate(deeper)) == nil
      }
      #expect(isRefused)
    }
    let isClassicRight = await onThread {
      let object = Self.objects(500, inDictionaries: inDictionaries)[0]
      let defaults = NSUserDefaults(directory: home.path + "/Classic", applicationName: "App")
      defaults.setObject(object, forKey: "k")
      defaults.setObject(defaults.objectForKey("k") ?? "", forKey: "copy")
      return defaults.synchronize() && defaults.propertyListForKey("copy") == expected
    }
    #expect(isClassicRight)
  }

  @Test("500 nested containers are checked on the smallest stack of a program", arguments: [false, true])
  func validate(inDictionaries: Bool) async throws {
    for kind in Self.objects(1, inDictionaries: inDictionaries).indices {
      // The objects are made and released elsewhere: Foundation's take more stack than that.
      let object = UncheckedObject(Self.objects(500, inDictionaries: inDictionaries)[kind])
      let isValid = await onThread(stack: 64 << 10) { (try? UserDefaults.validate(object.value)) != nil }
      #expect(isValid)
    }
  }

  #if !canImport(Darwin)
    @Test("500 nested containers are set by key-value coding", arguments: [false, true])
    func keyValueCoding(inDictionaries: Bool) async throws {
      let expected = nested(500, inDictionaries: inDictionaries)
      let deep = UncheckedObject(Self.objects(500, inDictionaries: inDictionaries)[0])
      let shallower = UncheckedObject(Self.objects(499, inDictionaries: inDictionaries)[0])
      let isSet = await onThread {
        let defaults = UserDefaults.inMemory()
        defaults.setValuesForKeys(["k": deep.value])
        defaults.set([shallower.value, ["x": 1]], forKey: "a")
        return defaults.storedValue(for: "k") == expected
          && defaults.value(forKeyPath: "a.@sum.x") as? Double == 1
          && (defaults.value(forKeyPath: "a.@unionOfObjects.self") as? [Any])?.count == 2
      }
      #expect(isSet)
    }
  #endif

  /// An object that one thread uses at a time.
  private struct UncheckedObject: @unchecked Sendable {
    // Unchecked, because the compiler does not know the object's type.
    let value: Any

    init(_ value: Any) {
      self.value = value
    }
  }

  @Test("1,000 nested containers of a file are read", arguments: [false, true])
  func read(inDictionaries: Bool) async throws {
    let home = try TemporaryHome()
    // The file itself is the outermost.
    let value = nested(999, inDictionaries: inDictionaries)
    try home.write(try PropertyList.dictionary(["k": value]).text(), to: "App.plist")
    let isRead = await onThread {
      let modern = UserDefaults(directory: home.path, applicationName: "App")
      let classic = NSUserDefaults(directory: home.path, applicationName: "App")
      var depth = 0
      var object = modern.object(forKey: "k")
      while let inner = (object as? [Any])?.first ?? (object as? [String: Any])?["k"] {
        (object, depth) = (inner, depth + 1)
      }
      return depth == 999 && object as? String == "x" && classic.objectForKey("k") != nil
        && classic.propertyListForKey("k") == value && modern.dictionaryRepresentation()["k"] != nil
    }
    #expect(isRead)
  }

  @Test(
    "a file of 1,000 nested containers in XML or binary is read, and saved with 500 more",
    arguments: [DomainFileFormat.xml, .binary], [256, 512])
  func otherFormats(format: DomainFileFormat, kilobytes: Int) async throws {
    for inDictionaries in [false, true] {
      let home = try TemporaryHome()
      let value = nested(999, inDictionaries: inDictionaries)
      let deeper = nested(500, inDictionaries: inDictionaries)
      for application in ["App", "Classic"] {
        try home.write(try format.bytes(of: ["k": value]), to: application + ".plist")
      }
      let isRight = await onThread(stack: kilobytes << 10) {
        let modern = UserDefaults(directory: home.path, applicationName: "App")
        guard modern.object(forKey: "k") != nil, modern.storedValue(for: "k") == value else { return false }
        modern.set(1, forKey: "n")
        let classic = NSUserDefaults(directory: home.path, applicationName: "Classic")
        classic.setObject(Self.objects(500, inDictionaries: inDictionaries)[0], forKey: "deeper")
        return modern.synchronize() && classic.synchronize() && classic.propertyListForKey("k") == value
      }
      #expect(isRight)
      let modern = try DomainFileFormat.propertyList(from: home.bytes(of: "App.plist"))
      #expect(modern.format == format && modern.value == ["k": value, "n": .integer(1)])
      let classic = try DomainFileFormat.propertyList(from: home.bytes(of: "Classic.plist"))
      #expect(classic.format == format && classic.value == ["k": value, "deeper": deeper])
    }
  }

  @Test("an error inside nested containers says the way to it")
  func path() throws {
    let nan: [Any] = ["a", ["b": [1, [NSObject.self]]] as [String: Any]]
    do {
      try UserDefaults.validate(nan, forKey: "k")
      Issue.record("no error")
    } catch {
      #expect("\(error)".contains("the value for the key \"k\"[1][\"b\"][1][0] is of type"), "\(error)")
    }
  }
}
