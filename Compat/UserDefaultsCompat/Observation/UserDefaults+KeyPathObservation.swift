#if !canImport(Darwin)
  // A program that was written for Apple's systems and observes by key paths gets one sentence from the compiler that
  // says what to write, in place of several about types that do not fit.

  extension UserDefaultsAdditions {
    /// Not available, because key-value observing is a part of Objective-C: use ``observe(_:options:changeHandler:)``
    /// with the key as a string.
    @available(
      *, unavailable,
      message:
        "key-value observing exists on Apple's systems only; observe the key as a string: observe(\"key\")"
    )
    @_disfavoredOverload
    public func observe<Value>(
      _ keyPath: KeyPath<UserDefaults, Value>, options: UserDefaultsObservingOptions = [],
      changeHandler: @escaping (UserDefaults, UserDefaultsKeyPathChange<Value>) -> Void
    ) -> UserDefaultsObservation {
      fatalError("not available")
    }

    /// Not available, because key-value observing is a part of Objective-C: use ``changes(forKey:includingInitial:)``.
    @available(
      *, unavailable,
      message: "key-value observing exists on Apple's systems only; iterate over changes(forKey: \"key\")"
    )
    @_disfavoredOverload
    public func publisher<Value>(
      for keyPath: KeyPath<UserDefaults, Value>, options: UserDefaultsObservingOptions = [.initial, .new]
    ) -> UserDefaultsChanges {
      fatalError("not available")
    }

    /// Not available, because key-value observing is a part of Objective-C: use
    /// ``observe(_:options:changeHandler:)``, and keep the result.
    @available(
      *, unavailable,
      message:
        "key-value observing exists on Apple's systems only; write observe(\"key\") with a closure, and keep its result"
    )
    @_disfavoredOverload
    public func addObserver(
      _ observer: Any, forKeyPath keyPath: String, options: UserDefaultsObservingOptions = [],
      context: UnsafeMutableRawPointer? = nil
    ) {}

    /// Not available, because key-value observing is a part of Objective-C: invalidate or release what
    /// ``observe(_:options:changeHandler:)`` has returned.
    @available(
      *, unavailable,
      message:
        "key-value observing exists on Apple's systems only; invalidate or release what observe(\"key\") has returned"
    )
    @_disfavoredOverload
    public func removeObserver(
      _ observer: Any, forKeyPath keyPath: String, context: UnsafeMutableRawPointer? = nil
    ) {}
  }

  /// A change as a handler of Apple's receives it.
  ///
  /// No call gives one. A handler that was written for Apple's systems fits its type, so that the compiler reports no
  /// more than that there is no observing of key paths.
  public struct UserDefaultsKeyPathChange<Value> {
    /// Whether this would be the call before the change.
    public let isPrior: Bool
    /// The value before the change.
    public let oldValue: Value?
    /// The value after the change.
    public let newValue: Value?
  }
#endif
