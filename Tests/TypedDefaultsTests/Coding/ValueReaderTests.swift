import Foundation
import Testing
import TypedDefaults
import UserDefaultsCompat

/// A Codable type that counts how often it is decoded in one test.
private struct Counted: Codable, Hashable, Defaults.Serializable {
  @TaskLocal static var log = Log<Void>()
  var number: Int

  init(_ number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    Counted.log.add(())
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

/// A type with every kind of part, none of which others can change.
private struct Parts: Codable, Defaults.Serializable {
  enum Choice: Codable {
    case none
    case some(Int, [String: Date])
  }

  var counted = Counted(0)
  var choice = Choice.some(1, ["a": Date()])
  var id = UUID()
  var url = URL(string: "https://a.b")
  var data = Data([1])
  var decimal = Decimal(1)
  var locale = Locale(identifier: "de")
  var zone = TimeZone(identifier: "UTC")
  var components = DateComponents(day: 1)
  var indices = IndexSet([1, 2])
  var range = 1...2
  var list = [[1], nil]
  var set = Set(["a"])
}

/// A type that shows itself inside itself.
private struct Endless: Codable, Defaults.Serializable, CustomReflectable {
  var number = 1
  var customMirror: Mirror { Mirror(self, children: ["self": self]) }
}

private final class Node: Codable, Defaults.Serializable {
  var number = 1
}

private struct Holder: Codable, Defaults.Serializable {
  var names = ["a"]
  var nodes: [String: Node?] = ["b": Node()]
}

/// Values that are decoded once.
struct ValueReaderTests {
  private let home: TypedHome

  init() throws {
    home = try TypedHome()
  }

  @Test("a Codable value that has not changed is not decoded again")
  func once() throws {
    let key = Defaults.Key<Counted>("k", default: Counted(0), suite: home.defaults)
    let list = Defaults.Key<[String: [Counted]]>("l", default: [:], suite: home.defaults)
    Counted.$log.withValue(Log()) {
      Defaults[key] = Counted(1)
      for _ in 0..<10 { #expect(Defaults[key].number == 1) }
      home.defaults.set(5, forKey: "other")
      Defaults[key] = Counted(1)
      for _ in 0..<10 { #expect(Defaults[key].number == 1) }
      #expect(Counted.log.all.count == 1)
      Defaults[key] = Counted(2)
      home.defaults.set("3", forKey: "k")
      for _ in 0..<10 { #expect(Defaults[key].number == 3) }
      #expect(Counted.log.all.count == 2)
      Defaults[list] = ["a": [Counted(1), Counted(2)]]
      for _ in 0..<10 { #expect(Defaults[list]["a"]?.count == 2) }
      #expect(Counted.log.all.count == 4)
    }
  }

  @Test("a value with parts of many types is decoded once, and one that shows itself without end is no crash")
  func parts() {
    let key = Defaults.Key<Parts>("k", default: Parts(), suite: home.defaults)
    Defaults[key] = Parts(counted: Counted(3))
    Counted.$log.withValue(Log()) {
      for _ in 0..<10 { #expect(Defaults[key].counted.number == 3) }
      #expect(Counted.log.all.count == 1)
    }
    let endless = Defaults.Key<Endless?>("e", suite: home.defaults)
    Defaults[endless] = Endless(number: 2)
    #expect(Defaults[endless]?.number == 2)
  }

  @Test("setting again and again decodes nothing")
  func setting() {
    let key = Defaults.Key<Counted>("k", default: Counted(0), suite: home.defaults)
    Counted.$log.withValue(Log()) {
      for index in 0..<10 { Defaults[key] = Counted(index) }
      #expect(Counted.log.all.isEmpty)
    }
  }

  @Test("an object that is the default value is not shared between reads either")
  func defaultValue() {
    let key = Defaults.Key<Node>("k", default: Node(), suite: home.defaults)
    let holder = Defaults.Key<Holder>("h", default: Holder(), suite: home.defaults)
    Defaults[key].number = 2
    Defaults[holder].nodes["b"]??.number = 2
    #expect(Defaults[key].number == 1 && key.defaultValue.number == 1)
    #expect(holder.defaultValue.nodes["b"]??.number == 1)
  }

  @Test("class instances are not shared between reads, nor those inside other values")
  func classes() {
    let key = Defaults.Key<Node>("k", default: Node(), suite: home.defaults)
    let holder = Defaults.Key<Holder>("h", default: Holder(), suite: home.defaults)
    let list = Defaults.Key<[Node?]>("l", default: [], suite: home.defaults)
    Defaults[key] = Node()
    Defaults[holder] = Holder()
    Defaults[list] = [Node()]
    Defaults[key].number = 1
    let (node, held, listed) = (Defaults[key], Defaults[holder].nodes["b"], Defaults[list][0])
    node.number = 2
    held??.number = 2
    listed?.number = 2
    #expect(Defaults[key].number == 1 && Defaults[list][0]?.number == 1)
    #expect(Defaults[holder].nodes["b"]??.number == 1)
  }
}
