import DefaultsDatabase
import OpenStepPropertyList

/// The results of a child for its parent: texts by name, in a file that exists as a whole or not at all.
enum TortureOutcome {
  static func write(_ texts: [String: String], to path: String) throws {
    let values = Dictionary(
      uniqueKeysWithValues: texts.map { (PropertyListKey($0.key), PropertyList.string($0.value)) })
    // Written as a whole, since the parent may be waiting for the file.
    try ExportFile(path).write(Array(PropertyList.dictionary(values).text().utf8), replacing: false)
  }

  /// Reads what ``write(_:to:)`` wrote.
  static func read(_ path: String) throws -> [String: String] {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try DiskFileSystem().contents(ofRegularFile: path)
    } catch {
      throw TortureError("\(path): a process has left no outcome: \(error)")
    }
    guard case .dictionary(let values) = try PropertyList(parsing: String(decoding: bytes, as: UTF8.self))
    else { throw TortureError("\(path): a process has left no outcome") }
    return Dictionary(uniqueKeysWithValues: values.map { ($0.key.text, $0.value.scalarText ?? "") })
  }
}
