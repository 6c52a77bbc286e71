import DefaultsFoundation
import Foundation
import UserDefaultsCompat

/// Checks keyed archives before Foundation reads or writes them: on Linux, it ends the
/// process for many invalid ones.
enum KeyedArchive {
  /// Checks that a class has a name that an archive can contain.
  static func checkName(of type: Any.Type) throws(CodingFailure) {
    #if !canImport(ObjectiveC)
      guard String(reflecting: type).utf8.count(where: { $0 == UInt8(ascii: ".") }) == 1 else {
        throw CodingFailure(
          "is of the class \(type), which cannot be archived: it is private or not at the top level")
      }
    #endif
  }

  /// Checks that data is an archive of an object of a class, and that the program has all classes in it.
  static func check(_ data: Data, holds wanted: NSObject.Type) throws(CodingFailure) {
    guard let table = ObjectTable([UInt8](data)), let top = table.value("$top", of: table.root),
      let objects = table.value("$objects", of: table.root),
      table.string(table.value("$archiver", of: table.root)) == "NSKeyedArchiver"
    else { throw CodingFailure("is data, which is no archive") }
    guard
      let root = table.archiveIndex(table.value("root", of: top)).flatMap({ table.element($0, of: objects) })
    else { throw CodingFailure("is an archive without a root object") }
    var index = 0
    while let object = table.element(index, of: objects) {
      index += 1
      guard let reference = table.value("$class", of: object) else {
        guard object != root else { throw CodingFailure("is an archive of no object of a class") }
        continue
      }
      let description = table.archiveIndex(reference).flatMap { table.element($0, of: objects) }
      guard let name = table.string(table.value("$classname", of: description)) else {
        throw CodingFailure("is a damaged archive: an object has no class")
      }
      guard isName(name), let type = NSClassFromString(name) else {
        throw CodingFailure("is an archive of the class “\(name.prefix(80))”, which is not known here")
      }
      guard object != root || type is NSObject.Type && isKind(type, of: wanted) else {
        throw CodingFailure("is an archive of the class \(name), not of \(wanted)")
      }
    }
  }

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
