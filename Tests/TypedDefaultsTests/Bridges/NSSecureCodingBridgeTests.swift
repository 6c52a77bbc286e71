import Foundation
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
}
