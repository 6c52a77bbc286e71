import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport

@testable import DefaultsImport

/// A store of a test's own, as other programs leave theirs, and what is found in it.
struct OldStore {
  let home: TemporaryHome
  var path: String { home.path }

  init() throws {
    home = try TemporaryHome()
  }

  /// What an import finds.
  struct Contents {
    var domains: [String: [PropertyListKey: PropertyList]] = [:]
    var kinds: [String: StoreKind] = [:]
    var remarks: [ImportRemark] = []
    /// What is not carried, without the notes.
    var losses: [ImportRemark] { remarks.filter { $0.weight != .note } }
  }

  /// Reads the whole store, or one file of it.
  func read(
    _ file: String? = nil, as kind: StoreKind? = nil,
    encoding: PropertyList.ParsingOptions.EightBitEncoding? = nil
  ) throws -> Contents {
    var contents = Contents()
    let store = ImportedStore(at: file.map(home.path) ?? path, as: kind, encoding: encoding)
    try store.forEachDomain(
      {
        contents.domains[$0.name.text] = $0.values
        contents.kinds[$0.name.text] = $0.kind
      },
      report: { contents.remarks.append($0) })
    return contents
  }

  // MARK: Files as the programs write them

  /// GNUstep's XML, which has spaces where Apple's has tabs.
  static let gnustepXML = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
        <key>Count</key>
        <integer>5</integer>
        <key>Escape</key>
        <string>\\U001B</string>
    </dict>
    </plist>
    """

  static let appleXML = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>On</key>
    \t<true/>
    </dict>
    </plist>

    """

  static let typedText = """
    {
        Count = <*I5>;
        Half = <*R0.5>;
        Name = "caf\\U00E9";
        When = <*D2001-01-01 00:00:00 +0000>;
    }
    """

  static let plainText = "{\n    Icon = <4d4d>;\n    Name = \"two words\";\n    Size = \"10 20\";\n}\n"

  static let singleFile = """
    {
        Gorm = {
    \tShowPalettes = YES;
        };
        NSGlobalDomain = {
        };
        Typed = {
    \tCount = <*I5>;
        };
    }
    """

  /// A dock, whose octal escapes are UTF-8.
  static let windowMakerState = """
    {
      Dock = {
        Applications = (
          {
            Name = "caf\\303\\251";
          }
        );
      };
    }

    """

  /// Apple's binary format.
  static func binary(_ values: [String: Any]) throws -> [UInt8] {
    [UInt8](try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0))
  }

  /// A binary file of one dictionary with one key and its value, given as they stand in such a file.
  static func binary(key: [UInt8], value: [UInt8]) -> [UInt8] {
    let keyOffset = UInt8(8 + 3)
    let valueOffset = keyOffset + UInt8(key.count)
    let tableOffset = valueOffset + UInt8(value.count)
    func number(_ value: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, value] }
    return Array("bplist00".utf8) + [0xD1, 1, 2] + key + value + [8, keyOffset, valueOffset]
      + [0, 0, 0, 0, 0, 0, 1, 1] + number(3) + number(0) + number(tableOffset)
  }
}
