#if canImport(Combine)
  public import Combine
  import DefaultsDomains
  import DefaultsFoundation

  extension Defaults {
    /// Publishes the changes of a key; options and order are those of ``observe(_:options:handler:)``.
    public static func publisher<Value: Serializable>(
      _ key: Key<Value>, options: ObservationOptions = [.initial]
    ) -> AnyPublisher<KeyChange<Value>, Never> {
      ObserverPublisher { receive in
        KeyObserver(of: [key], options: options, handler: Callback { receive(KeyChange($0, of: key)) })
      }.eraseToAnyPublisher()
    }

    /// Publishes an element for each change of one of several keys.
    public static func publisher(
      keys: AnyKey..., options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
      publisher(keys: keys, options: options)
    }

    /// Publishes an element for each change of one of several keys.
    public static func publisher(
      keys: [AnyKey], options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
      ObserverPublisher { receive in
        KeyObserver(ofSeveral: keys, options: options, handler: Callback { receive(()) })
      }.eraseToAnyPublisher()
    }
  }

  /// Publishes the calls of an observation, as long as there is a subscriber.
  private struct ObserverPublisher<Output>: Publisher {
    typealias Failure = Never

    /// Begins an observation that calls the closure.
    let observe: (@escaping (Output) -> Void) -> any Defaults.Observation

    func receive(subscriber: some Subscriber<Output, Never>) {
      let subject = PassthroughSubject<Output, Never>()
      var observation: (any Defaults.Observation)?
      subject
        .handleEvents(
          receiveSubscription: { _ in observation = observe(subject.send) },
          receiveCancel: { observation?.invalidate() }
        )
        .buffer(size: KeyObservers.sequenceLimit, prefetch: .byRequest, whenFull: .dropOldest)
        .receive(subscriber: subscriber)
    }
  }
#endif
