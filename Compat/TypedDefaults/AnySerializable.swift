import DefaultsFoundation
import OpenStepPropertyList
import UserDefaultsCompat

extension Defaults {
  /// A value of any type that can be stored, for keys whose values have no common type.
  ///
  /// ```swift
  /// extension Defaults.Keys {
  ///   static let magic = Key<[String: Defaults.AnySerializable]>("magic", default: [:])
  /// }
  ///
  /// Defaults[.magic]["number"] = 3
  /// Defaults[.magic]["number"]?.get(Int.self)   // 3
  /// ```
  ///
  /// In an array or dictionary literal, nil elements are left out.
  public struct AnySerializable: Serializable, Sendable {
    public static var bridge: AnyBridge { AnyBridge() }

    /// The stored form; nil for nothing. A failure is reported when the value is set.
    private var content: Swift.Result<PropertyList?, CodingFailure>

    init(content: Swift.Result<PropertyList?, CodingFailure>) {
      self.content = content
    }

    init(object: Any) {
      do throws(CodingFailure) {
        content = .success(try ObjectCoder.propertyList(object, isLiteral: true))
      } catch {
        content = .failure(error)
      }
    }

    /// Wraps a value.
    public init<Value: Defaults.Serializable>(_ value: Value) {
      content = AnySerializable.content(of: value)
    }

    /// The value as an inferred type; nil if it is of another type.
    public func get<Value: Defaults.Serializable>() -> Value? {
      get(Value.self)
    }

    /// The value as a type; nil if it is of another type.
    public func get<Value: Defaults.Serializable>(_ type: Value.Type) -> Value? {
      guard case .success(let stored?) = content else { return nil }
      return try? ValueCoder<Value>().decodeWithRoom(stored)
    }

    /// Replaces the value.
    public mutating func set<Value: Defaults.Serializable>(_ newValue: Value) {
      content = AnySerializable.content(of: newValue)
    }

    /// Replaces the value by a value of a named type.
    public mutating func set<Value: Defaults.Serializable>(_ newValue: Value, type: Value.Type) {
      set(newValue)
    }

    /// The stored form, or the reason why there is none.
    var checkedContent: PropertyList? {
      get throws(CodingFailure) { try content.get() }
    }

    /// The stored form as Foundation's objects.
    var object: Any? {
      guard case .success(let stored?) = content else { return nil }
      return FoundationValues.object(stored)
    }

    private static func content<Value: Defaults.Serializable>(
      of value: Value
    ) -> Swift.Result<PropertyList?, CodingFailure> {
      do throws(CodingFailure) {
        return .success(try ValueCoder<Value>().encodeWithRoom(value))
      } catch {
        return .failure(error)
      }
    }
  }
}

extension Defaults.AnySerializable: Hashable {
  /// Whether two values have the same stored form.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left.content, right.content) {
    case (.success(let left), .success(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    if case .success(let stored) = content { hasher.combine(stored) }
  }
}

// MARK: - Literals

extension Defaults.AnySerializable: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(value) }
}

extension Defaults.AnySerializable: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self.init(content: .success(nil)) }
}

extension Defaults.AnySerializable: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self.init(value) }
}

extension Defaults.AnySerializable: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int) { self.init(value) }
}

extension Defaults.AnySerializable: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self.init(value) }
}

extension Defaults.AnySerializable: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Any...) { self.init(object: elements) }
}

extension Defaults.AnySerializable: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (AnyHashable, Any)...) {
    self.init(object: Dictionary(elements) { _, last in last })
  }
}
