#if !canImport(Darwin)
  /// What setting the value at a path does to the object in which the path begins.
  enum KeyPathChange {
    /// The object is replaced by a copy with the change.
    case replaced(Any)
    /// There is nothing to change: a key to be removed is absent.
    case unchanged
    /// The path leads nowhere; with the reason, which continues a sentence that begins with the path.
    case refused(String)
  }

  extension KeyPathValues {
    /// The change that sets the value at a path in an object.
    ///
    /// - Parameters:
    ///   - object: The object; nil if there is none, in whose place a dictionary is made.
    ///   - path: The path; none of its keys is a default's name.
    ///   - value: The new value; nil removes the last key.
    static func change(of object: Any?, forKeyPath path: Substring, to value: Any?) -> KeyPathChange {
      let (key, rest) = parts(of: path)
      if key == "self" || key.utf8.first == UInt8(ascii: "@") {
        return .refused("has “\(key)”, which is for reading only")
      }
      if object == nil && value == nil { return .unchanged }
      if let array = object as? [Any] { return change(ofEach: array, forKeyPath: path, to: value) }
      guard var dictionary = (object ?? [String: Any]()) as? [String: Any] else {
        return .refused("needs a dictionary for “\(key)”, and there is another value")
      }
      if let rest {
        switch change(of: dictionary[key], forKeyPath: rest, to: value) {
        case .replaced(let inner): dictionary[key] = inner
        case let other: return other
        }
      } else {
        if value == nil && dictionary[key] == nil { return .unchanged }
        dictionary[key] = value
      }
      return .replaced(dictionary)
    }

    /// The change of each element of an array, all or none of them.
    private static func change(ofEach array: [Any], forKeyPath path: Substring, to value: Any?)
      -> KeyPathChange
    {
      var result = array
      var isChanged = false
      for index in array.indices {
        switch change(of: array[index], forKeyPath: path, to: value) {
        case .replaced(let element):
          result[index] = element
          isChanged = true
        case .unchanged: break
        case .refused(let reason): return .refused(reason)
        }
      }
      return isChanged ? .replaced(result) : .unchanged
    }
  }
#endif
