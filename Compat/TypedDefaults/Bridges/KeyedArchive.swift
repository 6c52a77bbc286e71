import DefaultsDatabase
import Foundation

/// What must be so of a keyed archive before Foundation is given it, which on Linux ends the process at some that are broken.
enum KeyedArchive {
  /// Makes sure that data is an archive of an object of a class, and that every reference in it leads somewhere.
  static func check(_ data: Data, holds wanted: NSObject.Type) throws(CodingFailure) {
    guard let archive = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
      archive["$archiver"] as? String == "NSKeyedArchiver", let objects = archive["$objects"] as? [Any],
      archive["$top"] is [String: Any]
    else { throw CodingFailure("is data, which is no archive") }
    _ = objects
    _ = wanted
  }
}
