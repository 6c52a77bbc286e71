public import Foundation

/// A type whose values are property lists without conversion.
public protocol PropertyListValue: Defaults.Serializable {}

extension Bool: PropertyListValue {}
extension Int: PropertyListValue {}
extension Float: PropertyListValue {}
extension Double: PropertyListValue {}
extension String: PropertyListValue {}
extension Date: PropertyListValue {}
extension Data: PropertyListValue {}
extension Array: PropertyListValue where Element: PropertyListValue {}
extension Dictionary: PropertyListValue where Key == String, Value: PropertyListValue {}
