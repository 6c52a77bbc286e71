import BenchmarkKit
import DefaultsDatabase
import Foundation
import OpenStepDefaults
import OpenStepPropertyList

/// Property lists from XML and binary files and to them.
enum FormatRows {
  static func all(_ bench: Workbench) -> [Row] {
    [DomainFileFormat.xml, .binary].flatMap { format in
      [8, 25].flatMap { [read(bench, format, megabytes: $0), write(bench, format, megabytes: $0)] }
    } + [saveXML(bench)]
  }

  private static func name(_ format: DomainFileFormat) -> String { format == .xml ? "XML" : "binary" }

  private static func foundationFormat(
    _ format: DomainFileFormat
  ) -> PropertyListSerialization.PropertyListFormat {
    format == .xml ? .xml : .binary
  }

  /// A file of about so many bytes, by Foundation.
  private static func file(
    _ bench: Workbench, _ format: DomainFileFormat, megabytes: Int
  ) throws -> (url: URL, data: Data, object: Any) {
    let url = bench.directory.appendingPathComponent("\(name(format))-\(megabytes)")
    let size = bench.size(megabytes * 1_000_000, brief: 20_000)
    // The same entries as text are two thirds of the XML, and about as long as the binary file.
    let text = TestText.make(bytes: format == .xml ? size * 2 / 3 : size)
    let object = try PropertyListSerialization.propertyList(from: Data(text), options: [], format: nil)
    let data = try PropertyListSerialization.data(
      fromPropertyList: object, format: foundationFormat(format), options: 0)
    try data.write(to: url)
    return (url, data, object)
  }

  private static func read(_ bench: Workbench, _ format: DomainFileFormat, megabytes: Int) -> Row {
    Row("read \(name(format)), \(megabytes) MB", repetitions: 7) {
      let (file, data, _) = try file(bench, format, megabytes: megabytes)
      let bytes = [UInt8](data)
      return [
        .ours { count in
          try time(count) {
            if case .dictionary(let entries) = try DomainFileFormat.propertyList(from: bytes).value {
              entries.count
            } else {
              0
            }
          }
        },
        .foundation { count in
          try time(count) {
            try autoreleasing {
              let value = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
              return (value as? [String: Any])?.count ?? 0
            }
          }
        },
        try PythonPeer.contender(bench, .plistlib, "parse", file: file.path),
        try PythonPeer.contender(bench, .libplist, "parse", file: file.path),
      ]
    }
  }

  private static func write(_ bench: Workbench, _ format: DomainFileFormat, megabytes: Int) -> Row {
    Row("write \(name(format)), \(megabytes) MB", repetitions: 7) {
      let (file, data, object) = try file(bench, format, megabytes: megabytes)
      let tree = try DomainFileFormat.propertyList(from: [UInt8](data)).value
      return [
        .ours { count in try time(count) { try format.bytes(of: tree).count } },
        .foundation { count in
          try time(count) {
            try autoreleasing {
              try PropertyListSerialization.data(
                fromPropertyList: object, format: foundationFormat(format), options: 0
              ).count
            }
          }
        },
        try PythonPeer.contender(bench, .plistlib, "write", file: file.path),
      ]
        // libplist takes most of a minute for a binary file of this size.
        + (format == .xml ? [try PythonPeer.contender(bench, .libplist, "write", file: file.path)] : [])
    }
  }

  /// A save of a domain that lies in XML, beside the same save of a domain of text.
  private static func saveXML(_ bench: Workbench) -> Row {
    Row("set and synchronize, 1 of 100,000 keys in XML", repetitions: 7) {
      let keys = TestKeys.make(bench.size(100_000, brief: 1000))
      let values = Dictionary(
        uniqueKeysWithValues: keys.map { (PropertyListKey($0), PropertyList.integer(0)) })
      func domain(_ format: DomainFileFormat) throws -> Contender.Work {
        let folder = try bench.folder("saves in \(format)")
        try Data(format.bytes(of: .dictionary(values))).write(
          to: folder.appendingPathComponent("Saved.plist"))
        let defaults = NSUserDefaults(directory: folder.path, applicationName: "Saved")
        guard defaults.integerForKey(keys[0]) == 0, defaults.synchronize() else {
          throw Absence("cannot save: \(String(describing: defaults.lastError))")
        }
        var next = 0
        return .passes(operations: 1) { count in
          time(count) {
            next += 1
            defaults.setInteger(next, forKey: keys[next % keys.count])
            return defaults.synchronize() ? 1 : 0
          }
        }
      }
      return [
        Contender("ours", .ours, try domain(.xml)), Contender("text", .limit, try domain(.openStep)),
      ]
    }
  }
}
