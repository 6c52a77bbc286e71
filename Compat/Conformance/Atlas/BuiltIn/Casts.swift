import Foundation
import OpenStepPropertyList

/// The result of `as?` for an object, by the type's name in the vectors.
enum Casts {
  static func outcome(of object: Any?, to type: String) throws -> JSON {
    guard let object else { return .null }
    switch type {
    case "Int": return .value(object as? Int)
    case "Int8": return .value(object as? Int8)
    case "Int16": return .value(object as? Int16)
    case "Int32": return .value(object as? Int32)
    case "Int64": return .value(object as? Int64)
    case "UInt": return .value(object as? UInt)
    case "UInt8": return .value(object as? UInt8)
    case "UInt16": return .value(object as? UInt16)
    case "UInt32": return .value(object as? UInt32)
    case "UInt64": return .value(object as? UInt64)
    case "Double": return .value(object as? Double)
    case "Float": return .value(object as? Float)
    case "Bool": return (object as? Bool).map { .truth($0) } ?? .null
    case "String": return .value(object as? String)
    case "Data": return .value(object as? Data)
    case "Date": return .value(object as? Date)
    case "URL": return .value(object as? URL)
    case "[Any]": return .value(object as? [Any])
    case "[Bool]": return .value(object as? [Bool])
    case "[Int]": return .value(object as? [Int])
    case "[Double]": return .value(object as? [Double])
    case "[String]": return .value(object as? [String])
    case "[String: Any]": return .value(object as? [String: Any])
    case "[String: Int]": return .value(object as? [String: Int])
    case "[String: Double]": return .value(object as? [String: Double])
    case "[String: String]": return .value(object as? [String: String])
    case "NSNumber": return (object as? NSNumber).map { .tagged("number", .string($0.stringValue)) } ?? .null
    case "NSString": return instance(object as? NSString, type)
    case "NSData": return instance(object as? NSData, type)
    case "NSDate": return .value((object as? NSDate).map { $0 as Date })
    case "NSArray": return instance(object as? NSArray, type)
    case "NSDictionary": return instance(object as? NSDictionary, type)
    default: throw NotSupported(what: "a cast to \(type)")
    }
  }

  private static func instance(_ object: NSObject?, _ type: String) -> JSON {
    object == nil ? .null : .tagged("is", .string(type))
  }
}
