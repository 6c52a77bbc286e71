import Foundation
import OpenStepPropertyList

/// A keyed archive, checked before Foundation reads it: on Linux, Foundation ends the process for many invalid
/// ones.
struct KeyedArchive {
  /// How many objects may each be part of the next; as deep as the text of a `Codable` value.
  private static let maximumDepth = 512

  private let contents: PropertyList
  private let objects: [PropertyList]
  private let root: Int

  /// Reads the parts of an archive.
  init(_ data: Data) throws(CodingFailure) {
    guard let contents = try? PropertyList(parsingBinary: [UInt8](data)),
      contents["$archiver"] == "NSKeyedArchiver", case .array(let objects)? = contents["$objects"]
    else { throw CodingFailure("is data, which is no archive") }
    guard let root = contents["$top"]?["root"]?.uid, root < objects.count else {
      throw CodingFailure("is an archive without a root object")
    }
    (self.contents, self.objects, self.root) = (contents, objects, Int(root))
  }

  /// The archive for Foundation's reader: written anew, so that it contains what was checked and nothing else.
  func data() throws(CodingFailure) -> Data {
    guard let bytes = try? contents.binaryBytes() else {
      throw CodingFailure("is an archive that is too large")
    }
    return Data(bytes)
  }

  /// Checks that a class has a name that an archive can contain.
  static func checkName(of type: Any.Type) throws(CodingFailure) {
    #if !canImport(ObjectiveC)
      guard String(reflecting: type).utf8.count(where: { $0 == UInt8(ascii: ".") }) == 1 else {
        throw CodingFailure(
          "is of the class \(type), which cannot be archived: it is private or not at the top level")
      }
    #endif
  }

  /// Checks that Foundation can read the archive: the program has all classes in it, all of them allow secure coding, the
  /// root object is of a class, every reference leads to an object, and none leads back to an object that it is part of.
  func check(holds wanted: NSObject.Type) throws(CodingFailure) {
    guard objects[root]["$class"] != nil else {
      throw CodingFailure("is an archive of no object of a class")
    }
    for (index, object) in objects.enumerated() {
      guard let reference = object["$class"] else { continue }
      guard let number = reference.uid, number < objects.count,
        case .string(let name)? = objects[Int(number)]["$classname"]
      else { throw CodingFailure("is a damaged archive: an object has no class") }
      guard KeyedArchive.isName(name), let type = NSClassFromString(name) else {
        throw CodingFailure("is an archive of the class “\(name.prefix(80))”, which is not known here")
      }
      guard let coding = type as? any NSSecureCoding.Type, coding.supportsSecureCoding else {
        throw CodingFailure("is an archive of the class \(name), which does not allow secure coding")
      }
      guard index != root || type is NSObject.Type && KeyedArchive.isKind(type, of: wanted) else {
        throw CodingFailure("is an archive of the class \(name), not of \(wanted)")
      }
      guard KeyedArchive.isWellFormed(object) else {
        throw CodingFailure("is a damaged archive: a collection lacks elements")
      }
      #if !canImport(ObjectiveC)
        let isSet = [NSSet.self, NSOrderedSet.self].contains { KeyedArchive.isKind(type, of: $0) }
        let isDictionary = KeyedArchive.isKind(type, of: NSDictionary.self)
        if isSet || isDictionary, try hasCollection(isSet ? object : object["NS.keys"] ?? [:]) {
          throw CodingFailure(
            "is an archive of an array or a dictionary in a set or as a key, which cannot be read here")
        }
      #endif
    }
    let depth = try depth()
    guard depth <= KeyedArchive.maximumDepth else {
      throw CodingFailure("is an archive of more than \(KeyedArchive.maximumDepth) objects inside each other")
    }
    try CodingStack.check(levels: depth)
  }

  // MARK: - The parts of objects

  /// Whether an object refers to an array or a dictionary, which Foundation on Linux makes a value of Swift's that has no
  /// hash.
  private func hasCollection(_ object: PropertyList) throws(CodingFailure) -> Bool {
    try references(in: object).contains { part in
      guard let number = objects[part]["$class"]?.uid, number < objects.count,
        case .string(let name)? = objects[Int(number)]["$classname"], KeyedArchive.isName(name),
        let type = NSClassFromString(name)
      else { return false }
      return [NSArray.self, NSDictionary.self].contains { KeyedArchive.isKind(type, of: $0) }
    }
  }

  /// How many objects at most are each part of the next.
  private func depth() throws(CodingFailure) -> Int {
    // Depth-first search, without recursion. An object's depth is 0 while its parts are searched.
    var depths: [Int: Int] = [:]
    var path = [try Step(root, references(in: objects[root]))]
    depths[root] = 0
    while let step = path.last {
      guard let part = step.parts.last else {
        path.removeLast()
        depths[step.object] = step.depth + 1
        if let outer = path.indices.last { path[outer].depth = max(path[outer].depth, step.depth + 1) }
        continue
      }
      switch depths[part] {
      case 0:
        #if canImport(ObjectiveC)
          // Foundation reads objects that refer to each other.
          path[path.count - 1].parts.removeLast()
        #else
          throw CodingFailure("is an archive of an object that is part of itself, which cannot be read here")
        #endif
      case let known?:
        path[path.count - 1].parts.removeLast()
        path[path.count - 1].depth = max(step.depth, known)
      case nil:
        path[path.count - 1].parts.removeLast()
        depths[part] = 0
        path.append(try Step(part, references(in: objects[part])))
      }
    }
    return depths[root] ?? 0
  }

  private struct Step {
    let object: Int
    /// The parts that are still to be searched.
    var parts: [Int]
    /// The greatest depth of the parts that have been searched.
    var depth = 0

    init(_ object: Int, _ parts: [Int]) { (self.object, self.parts) = (object, parts) }
  }

  /// The objects to which an object refers.
  private func references(in object: PropertyList) throws(CodingFailure) -> [Int] {
    var found: [Int] = []
    var open = [object]
    while let value = open.popLast() {
      if let number = value.uid {
        guard number < objects.count else {
          throw CodingFailure("is a damaged archive: it refers to an object that it does not contain")
        }
        found.append(Int(number))
        continue
      }
      switch value {
      case .array(let elements): open += elements
      case .dictionary(let entries): open += entries.values
      default: break
      }
    }
    return found
  }

  /// Whether an object has the parts that Foundation takes for granted in its collections.
  private static func isWellFormed(_ object: PropertyList) -> Bool {
    guard case .dictionary(let entries) = object else { return true }
    // A dictionary has as many values as keys, and none of them is the null object.
    if let keys = entries["NS.keys"] {
      guard case .array(let keys) = keys, case .array(let values)? = entries["NS.objects"],
        keys.count == values.count, (keys + values).allSatisfy({ $0.uid ?? 0 > 0 })
      else { return false }
    }
    // An ordered set numbers its elements.
    return entries.allSatisfy { key, value in
      !key.text.utf8.starts(with: "NS.object.".utf8) || value.uid ?? 0 > 0
    }
  }

  // MARK: - Classes

  private static func isKind(_ type: AnyClass, of wanted: AnyClass) -> Bool {
    var type: AnyClass? = type
    while let present = type {
      if present == wanted { return true }
      type = _getSuperclass(present)
    }
    return false
  }

  /// Foundation's lookup of a class is safe only for such names.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x5F || $0 == 0x2E
      }
  }
}

extension PropertyList {
  /// The value for a key of a dictionary; nil for other values.
  fileprivate subscript(key: PropertyListKey) -> PropertyList? {
    if case .dictionary(let entries) = self { entries[key] } else { nil }
  }
}
