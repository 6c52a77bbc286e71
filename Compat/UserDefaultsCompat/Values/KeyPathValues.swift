#if !canImport(Darwin)
  import DefaultsDatabase
  import Foundation

  /// Key-value coding's paths into dictionaries and arrays, which Foundation has on Apple's systems only.
  enum KeyPathValues {
    /// The first key of a path, and the rest behind its dot, if there is one.
    static func parts(of path: Substring) -> (key: String, rest: Substring?) {
      guard let dot = path.utf8.firstIndex(of: UInt8(ascii: ".")) else { return (String(path), nil) }
      return (String(path[..<dot]), path[path.utf8.index(after: dot)...])
    }

    /// The value at a path in an object; nil if there is none.
    ///
    /// - Parameter hasStack: Whether the thread has the stack for arrays that nest as deep as a value may.
    static func value(of object: Any, forKeyPath path: Substring, hasStack: Bool = false) -> Any? {
      var (object, rest) = (object, Optional(path))
      while let path = rest {
        if !hasStack, object is [Any] {
          return LargeStack.runWithStackToRelease(room: LargeStack.recursionRoom) {
            value(of: object, forKeyPath: path, hasStack: true)
          }
        }
        let (key, next) = parts(of: path)
        if let array = object as? [Any], key.utf8.first == UInt8(ascii: "@") {
          return value(of: array, byOperator: String(key.dropFirst()), path: next)
        }
        guard let found = value(of: object, forKey: key) else { return nil }
        (object, rest) = (found, next)
      }
      return object
    }

    private static func value(of object: Any, forKey key: String) -> Any? {
      if key == "self" { return object }
      if let dictionary = object as? [String: Any] {
        switch key {
        case "@count": return NSNumber(value: dictionary.count)
        case "@allKeys": return Array(dictionary.keys)
        case "@allValues": return Array(dictionary.values)
        default: return dictionary[key]
        }
      }
      guard let array = object as? [Any] else { return nil }
      return array.map { value(of: $0, forKey: key) ?? NSNull() }
    }

    /// The result of an operator on an array; nil for an unknown one, and for one that
    /// lacks the path that it needs.
    private static func value(of array: [Any], byOperator name: String, path: Substring?) -> Any? {
      if name == "count" { return NSNumber(value: array.count) }
      guard let path else { return nil }
      let found = array.compactMap { value(of: $0, forKeyPath: path, hasStack: true) }.filter { !isNull($0) }
      switch name {
      case "sum": return NSNumber(value: sum(of: found))
      // Elements without a value count as 0.
      case "avg": return NSNumber(value: array.isEmpty ? 0 : sum(of: found) / Double(array.count))
      case "min": return found.min(by: precedes)
      case "max": return found.max(by: precedes)
      case "unionOfObjects": return found
      case "distinctUnionOfObjects": return distinct(found)
      case "unionOfArrays": return found.flatMap { $0 as? [Any] ?? [] }
      case "distinctUnionOfArrays": return distinct(found.flatMap { $0 as? [Any] ?? [] })
      default: return nil
      }
    }

    /// Whether a value is `NSNull`.
    ///
    /// The type is compared: a cast to a class of Foundation's converts a collection with all its contents, by
    /// recursion.
    static func isNull(_ value: Any) -> Bool { type(of: value) == NSNull.self }

    /// A number as Foundation's; nil for another value, of which collections are not converted.
    private static func numberObject(_ value: Any) -> NSNumber? {
      value is [Any] || value is [String: Any] ? nil : value as? NSNumber
    }

    private static func sum(of values: [Any]) -> Double {
      values.reduce(0) { $0 + number($1) }
    }

    /// The number that Foundation's `doubleValue` gives; 0 if the value has none.
    private static func number(_ value: Any) -> Double {
      numberObject(value)?.doubleValue ?? (value as? String).map { ($0 as NSString).doubleValue } ?? 0
    }

    /// The order of two numbers, dates or strings; false for other pairs.
    private static func precedes(_ left: Any, _ right: Any) -> Bool {
      if let left = numberObject(left), let right = numberObject(right) {
        return left.compare(right) == .orderedAscending
      }
      if let left = left as? Date, let right = right as? Date { return left < right }
      if let left = left as? String, let right = right as? String { return left < right }
      return false
    }

    /// Removes the values that equal an earlier one.
    ///
    /// It uses hashes of the contents of arrays and dictionaries: Foundation gives all collections of one
    /// size the same hash, so that a set of them takes quadratic time.
    private static func distinct(_ values: [Any]) -> [Any] {
      var known: [Int: NSMutableSet] = [:]
      return values.filter { value in
        let hash = contentHash(of: value, depth: 0)
        let alike = known[hash] ?? NSMutableSet()
        known[hash] = alike
        guard !alike.contains(value) else { return false }
        alike.add(value)
        return true
      }
    }

    /// A hash that is equal for equal values; of deeply nested collections it includes only the size.
    private static func contentHash(of value: Any, depth: Int) -> Int {
      var hasher = Hasher()
      switch value {
      case let array as [Any]:
        hasher.combine(array.count)
        if depth < 64 { for element in array { hasher.combine(contentHash(of: element, depth: depth + 1)) } }
      case let dictionary as [String: Any]:
        hasher.combine(dictionary.count)
        // The sum is independent of the order of enumeration.
        var sum = 0
        for (key, element) in dictionary where depth < 64 {
          sum &+= key.hashValue ^ contentHash(of: element, depth: depth + 1)
        }
        hasher.combine(sum)
      case let number as NSNumber: hasher.combine(number.doubleValue)
      // The hash of `Data` itself is that of its first 80 bytes.
      case let data as Data: data.withUnsafeBytes { hasher.combine(bytes: $0) }
      case let object as any Hashable: hasher.combine(object)
      default: break
      }
      return hasher.finalize()
    }
  }
#endif
