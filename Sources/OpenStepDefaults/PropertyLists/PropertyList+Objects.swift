public import DefaultsFoundation
public import OpenStepPropertyList

/// Property lists as the objects of a program, and back.
extension PropertyList {
  /// The objects as which a program sees the values of a property list.
  ///
  /// In both models a string is a `String`, data is `Data`, an array is `[Any]` and a dictionary is
  /// `[String: Any]`. They differ in numbers, truth values and dates.
  public enum ValueModel: Hashable, Sendable {
    /// OPENSTEP's: numbers, truth values and dates are strings, such as `42`, `YES` and
    /// `2026-11-20 15:16:00 +0000` (`scalarText`). ``NSUserDefaults`` has this model.
    case classic
    /// GNUstep's and Apple's: numbers and truth values are `NSNumber`s, and dates are `Date`s. Nothing that a
    /// property list holds is lost. GNUstep's class has this model, and so has Apple's.
    case typed
  }

  /// Makes a property list of an object: a string, data, a number, a truth value, a date, or an array or
  /// dictionary (with string keys) of these at any depth.
  ///
  /// Numbers may have any of Swift's and Foundation's types. A `PropertyList` in place of an object is taken
  /// as it is. In the classic model the result is what ``NSUserDefaults/setObject(_:forKey:)`` stores; in the
  /// typed one what GNUstep's class stores.
  ///
  /// - Parameters:
  ///   - object: The object. An empty optional is no property list.
  ///   - model: Whether numbers, truth values and dates become strings; by default they do not.
  /// - Throws: ``InvalidArgumentError`` that names the type, and the path inside the object, of what is no
  ///   property list, and for more than 500 nested containers. OPENSTEP and GNUstep raise
  ///   `NSInvalidArgumentException` where such an object is set.
  /// - Complexity: linear in the number of values; no recursion.
  public init(object: Any, model: ValueModel = .typed) throws(InvalidArgumentError) {
    self =
      switch model {
      case .classic: try ClassicValues.propertyList(object, path: "the object")
      case .typed: try FoundationValues.propertyList(object, path: "the object")
      }
  }

  /// The property list as an object: a `String`, `Data`, `[Any]` or `[String: Any]`, and in the typed model
  /// also an `NSNumber` or a `Date`.
  ///
  /// To Swift, keys are equal if they are canonically equivalent (U+00E9 and U+0065 U+0301); of such entries
  /// of one dictionary the one with the greater key is shown. `PropertyList` itself keeps all.
  ///
  /// - Parameter model: Whether numbers, truth values and dates are shown as strings; by default they are not.
  /// - Returns: The object, which ``init(object:model:)`` with the same model converts back, to an equal
  ///   property list if the model is typed.
  /// - Complexity: linear in the number of values; no recursion.
  public func object(model: ValueModel = .typed) -> Any {
    switch model {
    case .classic: ClassicValues.object(self)
    case .typed: FoundationValues.object(self)
    }
  }
}
