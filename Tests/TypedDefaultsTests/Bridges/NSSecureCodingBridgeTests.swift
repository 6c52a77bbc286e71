import Foundation
import OpenStepPropertyList
import TestSupport
import Testing
import TypedDefaults
import UserDefaultsCompat

/// A class that archives itself, at the top level, since others have no name for archives on Linux.
final class ArchivedPoint: NSObject, NSSecureCoding, Defaults.Serializable {
  static var supportsSecureCoding: Bool { true }
  let x: Int
  let label: String?

  init(x: Int, label: String? = nil) {
    self.x = x
    self.label = label
  }

  init?(coder: NSCoder) {
    x = coder.decodeInteger(forKey: "x")
    // Foundation takes a key that is asked for and missing for damage on Linux.
    label =
      coder.containsValue(forKey: "label")
      ? coder.decodeObject(of: NSString.self, forKey: "label").map { "\($0)" } : nil
  }

  func encode(with coder: NSCoder) {
    coder.encode(x, forKey: "x")
    if let label { coder.encode(NSString(string: label), forKey: "label") }
  }

  override func isEqual(_ object: Any?) -> Bool {
    (object as? ArchivedPoint)?.x == x && (object as? ArchivedPoint)?.label == label
  }

  override var hash: Int { x }
}

/// A class that can do both, and prefers one.
final class ArchivedOrCoded: NSObject, NSSecureCoding, Codable, Defaults.Serializable, Defaults
    .PreferNSSecureCoding
{
  static var supportsSecureCoding: Bool { true }
  var x = 0
  override init() {}
  init?(coder: NSCoder) { x = coder.decodeInteger(forKey: "x") }
  func encode(with coder: NSCoder) { coder.encode(x, forKey: "x") }
}

/// A class that can do both, and says nothing.
final class CodedFirst: NSObject, NSSecureCoding, Codable, Defaults.Serializable {
  static var supportsSecureCoding: Bool { true }
  var x = 0
  override init() {}
  init?(coder: NSCoder) { nil }
  func encode(with coder: NSCoder) {}
}

// Foundation's collections, which are archived but not stored in that form by themselves.
typealias ArchivedSet = Archived<NSSet>
typealias ArchivedArray = Archived<NSArray>

/// An object of Foundation's, stored as an archive.
struct Archived<Object: NSObject & NSSecureCoding>: Defaults.Serializable, @unchecked Sendable {
  // Unchecked, because the tests only read the object.
  struct Bridge: Defaults.Bridge {
    func serialize(_ value: Archived?) -> Data? {
      Defaults.NSSecureCodingBridge<Object>().serialize(value?.object)
    }
    func deserialize(_ data: Data?) -> Archived? {
      Defaults.NSSecureCodingBridge<Object>().deserialize(data).map { Archived(object: $0) }
    }
  }

  static var bridge: Bridge { Bridge() }
  let object: Object
}

/// An object that refers to another of its kind.
final class ArchivedNode: NSObject, NSSecureCoding, Defaults.Serializable, @unchecked Sendable {
  // Unchecked, because only one thread has it.
  static var supportsSecureCoding: Bool { true }
  var next: ArchivedNode?

  override init() {}
  init?(coder: NSCoder) {
    next =
      coder.containsValue(forKey: "next") ? coder.decodeObject(of: ArchivedNode.self, forKey: "next") : nil
  }
  func encode(with coder: NSCoder) {
    if let next { coder.encode(next, forKey: "next") }
  }
}

/// An object whose archive has any object where `ArchivedPoint` has a string; its class does not allow secure coding.
final class DatedPoint: NSObject, NSCoding {
  let label: NSObject

  init(_ label: NSObject) { self.label = label }
  init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    coder.encode(7, forKey: "x")
    coder.encode(label, forKey: "label")
  }

  /// The archive, in which this object has the name of the other class.
  func archive() throws -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(self, forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    let contents = try PropertyList(parsingBinary: [UInt8](archiver.encodedData))
    guard case .dictionary(var parts) = contents, case .array(var objects)? = parts["$objects"] else {
      return Data()
    }
    // The root object comes first, and its class behind its parts; others of the class keep their name.
    let name = PropertyList.string(NSStringFromClass(DatedPoint.self))
    let index = try #require(
      objects.firstIndex {
        if case .dictionary(let entries) = $0 { entries["$classname"] == name } else { false }
      })
    objects[index] = ["$classname": .string(NSStringFromClass(ArchivedPoint.self)), "$classes": ["NSObject"]]
    parts["$objects"] = .array(objects)
    return Data(try PropertyList.dictionary(parts).binaryBytes())
  }
}

/// A class that does not allow secure coding.
final class InsecurePoint: NSObject, NSCoding {
  static let wasMade = Lock(false)

  override init() {}
  init?(coder: NSCoder) { InsecurePoint.wasMade.withLock { $0 = true } }
  func encode(with coder: NSCoder) {}
}

struct NSSecureCodingBridgeTests {
  private let home: TypedHome

  init() throws {
    home = try TypedHome()
  }

  @Test("an object is stored as an archive, in every container")
  func roundTrip() throws {
    let point = ArchivedPoint(x: 5, label: "ü")
    let key = Defaults.Key<ArchivedPoint>("k", default: ArchivedPoint(x: 0), suite: home.defaults)
    Defaults[key] = point
    #expect(Defaults[key] == point && home.defaults.data(forKey: "k") != nil)
    #expect(try home.reopened()[key] == point)
    let all = Defaults.Key<[String: [Set<ArchivedPoint>]]>("all", default: [:], suite: home.defaults)
    Defaults[all] = ["a": [[point, ArchivedPoint(x: 1)], []]]
    #expect(try home.reopened()[all] == ["a": [[point, ArchivedPoint(x: 1)], []]])
  }

  @Test("each read gives an object of its own")
  func notShared() {
    let key = Defaults.Key<ArchivedPoint>("k", default: ArchivedPoint(x: 0), suite: home.defaults)
    Defaults[key] = ArchivedPoint(x: 1)
    #expect(Defaults[key] !== Defaults[key] && Defaults[key] == Defaults[key])
    let list = Defaults.Key<[ArchivedPoint?]>("l", default: [], suite: home.defaults)
    Defaults[list] = [ArchivedPoint(x: 1)]
    #expect(Defaults[list][0] !== Defaults[list][0])
  }

  @Test("a class that is Codable too is JSON text, unless it prefers archives")
  func preference() {
    let coded = CodedFirst()
    coded.x = 3
    let archived = ArchivedOrCoded()
    archived.x = 4
    Defaults[Defaults.Key<CodedFirst?>("coded", suite: home.defaults)] = coded
    Defaults[Defaults.Key<ArchivedOrCoded?>("archived", suite: home.defaults)] = archived
    #expect(home.defaults.string(forKey: "coded") == #"{"x":3}"#)
    #expect(home.defaults.data(forKey: "archived") != nil)
    #expect(Defaults[Defaults.Key<CodedFirst?>("coded", suite: home.defaults)]?.x == 3)
    #expect(Defaults[Defaults.Key<ArchivedOrCoded?>("archived", suite: home.defaults)]?.x == 4)
  }

  // The process ended at the next start, when the value was read.
  @Test("collections of objects of any class of Foundation's can be read again")
  func collections() throws {
    let objects: [NSObject] = [
      NSDate(timeIntervalSinceReferenceDate: 1), NSNumber(value: 1.5), NSString(string: "s"), NSData(),
      NSArray(array: [NSDictionary(dictionary: ["a": "b"])]),
    ]
    let array = Defaults.Key<ArchivedArray?>("array", suite: home.defaults)
    Defaults[array] = ArchivedArray(object: NSArray(array: objects))
    let set = Defaults.Key<ArchivedSet?>("set", suite: home.defaults)
    Defaults[set] = ArchivedSet(object: NSSet(array: Array(objects.dropLast())))
    let reopened = try home.reopened()
    #expect(reopened[array]?.object == NSArray(array: objects))
    #expect(reopened[set]?.object == NSSet(array: Array(objects.dropLast())))
    #if !canImport(ObjectiveC)
      // Foundation's reader of sets ends the process at an array.
      Defaults[set] = ArchivedSet(object: NSSet(array: objects))
      #expect(try home.reopened()[set]?.object == NSSet(array: Array(objects.dropLast())))
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: NSSet(array: objects), requiringSecureCoding: true)
      home.defaults.set(data, forKey: "set")
      #expect(Defaults[set] == nil)
    #endif
  }

  @Test("a part of another class than its object asks for is a missing one or an error, and no crash")
  func otherParts() throws {
    let key = Defaults.Key<ArchivedPoint?>("k", suite: home.defaults)
    for label in [NSDate(), NSArray(array: [NSNumber(value: 1)]), NSString(string: "s")] as [NSObject] {
      home.defaults.set(try DatedPoint(label).archive(), forKey: "k")
      let point = try? home.defaults.value(for: key)
      #expect(point == nil || point == ArchivedPoint(x: 7, label: label is NSString ? "s" : nil))
      #expect(point != nil || !(label is NSString))
    }
    // A class that does not allow secure coding is not made by what a file says.
    home.defaults.set(try DatedPoint(InsecurePoint()).archive(), forKey: "k")
    #expect(Defaults[key] == nil && !InsecurePoint.wasMade.withLock { $0 })
  }

  @Test("data that is no archive of the class is an error, and no crash")
  func damage() throws {
    let key = Defaults.Key<ArchivedPoint>("k", default: ArchivedPoint(x: 7), suite: home.defaults)
    Defaults[key] = ArchivedPoint(x: 1)
    let good = try #require(home.defaults.data(forKey: "k"))
    let other = try NSKeyedArchiver.archivedData(withRootObject: NSString("x"), requiringSecureCoding: true)
    for data in [Data(), Data("bplist00".utf8), good.prefix(40), other, Data(good.reversed())] {
      home.defaults.set(Data(data), forKey: "k")
      #expect(Defaults[key].x == 7)
      #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: key) }
      #expect(home.defaults.data(forKey: "k") == Data(data))
    }
  }

  /// The parts of an archive, which a damaged one has in another form.
  private typealias Objects = [PropertyList]

  /// An archive of objects; the first of them is the null object, the second one the root.
  private static func archive(_ objects: Objects) throws -> Data {
    let contents: PropertyList = [
      "$archiver": "NSKeyedArchiver", "$version": .integer(100_000), "$top": ["root": uid(1)],
      "$objects": .array(["$null"] + objects),
    ]
    return Data(try contents.binaryBytes())
  }

  private static func uid(_ number: Int) -> PropertyList {
    ["CF$UID": .integer(PropertyListInteger(Int64(number)))]
  }

  private static func classNamed(_ name: PropertyList) -> PropertyList {
    ["$classname": name, "$classes": [name, "NSObject"]]
  }

  /// The second object of a set has one element, the object after the set's class.
  private static func set(_ element: Objects) -> Objects {
    [["$class": uid(2), "NS.objects": [uid(3)]], classNamed("NSSet")] + element
  }

  // Foundation on Linux ends the process for each of them.
  @Test(
    "an archive with references that lead nowhere or back is an error, and no crash",
    arguments: [
      // No object, no class, a set in itself, and one in an array in itself.
      [["$class": uid(2), "NS.objects": [uid(9)]], classNamed("NSSet")],
      [["$class": uid(9), "NS.objects": []]],
      [["$class": uid(0), "NS.objects": []]],
      set([["$class": uid(2), "NS.objects": [uid(1)]]]),
      set([["$class": uid(4), "NS.objects": [uid(3)]], classNamed("NSArray")]),
      // A dictionary with more keys than values, or with the null object.
      set([["$class": uid(4), "NS.keys": [uid(5)], "NS.objects": []], classNamed("NSDictionary"), "k"]),
      set([["$class": uid(4), "NS.keys": [uid(5)]], classNamed("NSDictionary"), "k"]),
      set([["$class": uid(4), "NS.keys": [uid(5)], "NS.objects": [uid(0)]], classNamed("NSDictionary"), "k"]),
      // An ordered set with the null object, and with text in an object's place.
      set([["$class": uid(4), "NS.object.0": uid(0)], classNamed("NSOrderedSet")]),
      set([["$class": uid(4), "NS.object.0": "x"], classNamed("NSOrderedSet")]),
    ] as [[PropertyList]])
  func wrongReferences(_ objects: [PropertyList]) throws {
    let data = try NSSecureCodingBridgeTests.archive(objects)
    let key = Defaults.Key<ArchivedSet?>("k", suite: home.defaults)
    home.defaults.set(data, forKey: "k")
    #expect(throws: Defaults.ValueError.self) { try Defaults.value(for: key) }
    #expect(home.defaults.data(forKey: "k") == data)
  }

  @Test("an archive is read whole, or refused, whatever number of objects are inside each other")
  func depth() async throws {
    func chain(_ count: Int) throws -> Data {
      let links = (1...count).map { index -> PropertyList in
        let next: PropertyList = index < count ? [NSSecureCodingBridgeTests.uid(index + 1)] : []
        return ["$class": NSSecureCodingBridgeTests.uid(count + 1), "NS.objects": next]
      }
      return try NSSecureCodingBridgeTests.archive(links + [NSSecureCodingBridgeTests.classNamed("NSArray")])
    }
    let defaults = home.defaults
    for (count, kilobytes, isGood) in [
      (1, 64, true), (30, 64, true), (400, 512, true), (500, 8192, true), (600, 8192, false),
      // It is not read where it could not be released.
      (400, 64, false), (100_000, 64, false), (100_000, 8192, false),
    ] {
      let data = try chain(count)
      let isRead = await onThread(stack: kilobytes << 10) {
        let key = Defaults.Key<ArchivedArray?>("k", suite: defaults)
        defaults.set(data, forKey: "k")
        return (try? Defaults.value(for: key)) ?? nil != nil
      }
      #expect(isRead == isGood, "\(count) objects, \(kilobytes) kilobytes")
    }
  }

  @Test("an object that could not be read again is refused when it is set")
  func cyclicObject() throws {
    let node = ArchivedNode()
    node.next = ArchivedNode()
    let key = Defaults.Key<ArchivedNode?>("k", suite: home.defaults)
    try Defaults.set(node, for: key)
    #expect(Defaults[key]?.next != nil)
    #if !canImport(ObjectiveC)
      node.next?.next = node
      defer { node.next = nil }
      #expect(throws: Defaults.ValueError.self) { try Defaults.set(node, for: key) }
      #expect(Defaults[key]?.next?.next == nil)
    #endif
  }
}
