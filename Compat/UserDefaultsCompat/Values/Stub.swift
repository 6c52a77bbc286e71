import Foundation
import OpenStepDefaults
import OpenStepPropertyList

enum FoundationValues {
  static func propertyList(_ o: Any, path: String) throws(InvalidArgumentError) -> PropertyList {
    .string("")
  }
  static func object(_ v: PropertyList) -> Any { 0 }
  static func dictionary(_ v: [PropertyListKey: PropertyList]) -> [String: Any] { [:] }
}
enum FoundationCoding {
  static func string(_ v: PropertyList?) -> String? { nil }
  static func data(_ v: PropertyList?) -> Data? { nil }
  static func stringArray(_ v: PropertyList?) -> [String]? { nil }
  static func integer(_ v: PropertyList?) -> Int { 0 }
  static func float(_ v: PropertyList?) -> Float { 0 }
  static func double(_ v: PropertyList?) -> Double { 0 }
  static func bool(_ v: PropertyList?) -> Bool { false }
}
enum URLCoding {
  static func propertyList(_ u: URL) -> PropertyList { .string("") }
  static func url(_ v: PropertyList?) -> URL? { nil }
}
