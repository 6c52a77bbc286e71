import BenchmarkKit
import Foundation
import OpenStepPropertyList

/// Property lists from text and to text.
enum TextRows {
  static func all(_ bench: Workbench) -> [Row] {
    [8, 25].flatMap { [parse(bench, megabytes: $0), write(bench, megabytes: $0)] }
  }

  private static func file(_ bench: Workbench, megabytes: Int) throws -> URL {
    let file = bench.directory.appendingPathComponent("text-\(megabytes)")
    let size = bench.size(megabytes * 1_000_000, brief: 20_000)
    try Data(TestText.make(bytes: size)).write(to: file)
    return file
  }

  private static func parse(_ bench: Workbench, megabytes: Int) -> Row {
    Row("parse text, \(megabytes) MB", repetitions: 9) {
      let file = try file(bench, megabytes: megabytes)
      let data = try Data(contentsOf: file)
      let bytes = [UInt8](data)
      return [
        .ours { count in try time(count) { try entries(PropertyList(parsing: bytes)) } },
        try .gnustep(bench, "parse") { try $0.tell("load", file.path) },
        .foundation { count in
          try time(count) {
            try autoreleasing {
              let value = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
              return (value as? [String: Any])?.count ?? 0
            }
          }
        },
        try PythonPeer.contender(bench, .openstepPlist, "parse", file: file.path),
      ]
    }
  }

  /// Without Foundation, which writes no such text.
  private static func write(_ bench: Workbench, megabytes: Int) -> Row {
    Row("write text, \(megabytes) MB", repetitions: 9) {
      let file = try file(bench, megabytes: megabytes)
      let tree = try PropertyList(parsing: [UInt8](Data(contentsOf: file)))
      return [
        .ours { count in try time(count) { try tree.bytes().count } },
        try .gnustep(bench, "write") { try $0.tell("load", file.path) },
        try PythonPeer.contender(bench, .openstepPlist, "write", file: file.path),
      ]
    }
  }

  private static func entries(_ list: PropertyList) -> Int {
    if case .dictionary(let entries) = list { entries.count } else { 0 }
  }
}
