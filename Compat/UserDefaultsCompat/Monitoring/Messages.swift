import DefaultsDomains
public import Foundation

extension UserDefaults {
  /// ``didChangeNotification`` as a message, for `NotificationCenter`'s calls that take a type.
  ///
  /// On Linux, Foundation does not deliver plain notifications as messages, and ends the process if a message
  /// is posted while an observer observes all names. So this package never posts a message: the calls for
  /// this type are its own there, and the type does not conform to Foundation's protocols, so that
  /// Foundation's own calls, which would never deliver anything, do not accept it.
  public struct DidChangeMessage: Sendable {
    /// Makes a message.
    public init() {}

    /// The name of the plain notification.
    public static var name: Notification.Name { UserDefaults.didChangeNotification }
  }

  /// ``sizeLimitExceededNotification`` as a message; see ``DidChangeMessage``.
  public struct SizeLimitExceededMessage: Sendable {
    /// Makes a message.
    public init() {}

    /// The name of the plain notification.
    public static var name: Notification.Name { UserDefaults.sizeLimitExceededNotification }
  }
}

/// Identifies a type of message in a call: `.didChange`, `.sizeLimitExceeded`.
public struct UserDefaultsMessageIdentifier<Message: Sendable>: Sendable {
  fileprivate init() {}
}

extension UserDefaultsMessageIdentifier<UserDefaults.DidChangeMessage> {
  /// Identifies ``UserDefaults/DidChangeMessage``.
  public static var didChange: Self { Self() }
}

extension UserDefaultsMessageIdentifier<UserDefaults.SizeLimitExceededMessage> {
  /// Identifies ``UserDefaults/SizeLimitExceededMessage``.
  public static var sizeLimitExceeded: Self { Self() }
}

// MARK: - Observing

extension NotificationCenter {
  /// Calls an observer with a message for each change that an object makes.
  ///
  /// The calls follow the notifications shortly, one after the other and in the same order. If more than 10,000 are
  /// to be made, because the observer is slower than the changes come, the others are left out: all messages are equal.
  ///
  /// - Parameters:
  ///   - subject: The object whose changes are observed; nil for any.
  ///   - messageType: The type of the message.
  ///   - observer: Receives the message.
  /// - Returns: The observation;
  ///   ``removeObserver(_:)-(UserDefaultsMessageObservation)`` or its release ends it.
  public func addObserver(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.DidChangeMessage.Type,
    using observer: @escaping @Sendable (UserDefaults.DidChangeMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    observe(subject, messageType.name, { UserDefaults.DidChangeMessage() }, observer)
  }

  /// Calls an observer with a message for each change that an object makes.
  public func addObserver(
    of subject: UserDefaults, for identifier: UserDefaultsMessageIdentifier<UserDefaults.DidChangeMessage>,
    using observer: @escaping @Sendable (UserDefaults.DidChangeMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    addObserver(of: subject, for: UserDefaults.DidChangeMessage.self, using: observer)
  }

  /// Calls an observer with a message for each change that any object makes.
  public func addObserver(
    of subject: UserDefaults.Type,
    for identifier: UserDefaultsMessageIdentifier<UserDefaults.DidChangeMessage>,
    using observer: @escaping @Sendable (UserDefaults.DidChangeMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    addObserver(for: UserDefaults.DidChangeMessage.self, using: observer)
  }

  /// Calls an observer with a message each time that an object's domain exceeds the size limit.
  ///
  /// - Parameters:
  ///   - subject: The object whose domain is observed; nil for any.
  ///   - messageType: The type of the message.
  ///   - observer: Receives the message.
  /// - Returns: The observation.
  public func addObserver(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.SizeLimitExceededMessage.Type,
    using observer: @escaping @Sendable (UserDefaults.SizeLimitExceededMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    observe(subject, messageType.name, { UserDefaults.SizeLimitExceededMessage() }, observer)
  }

  /// Calls an observer with a message each time that an object's domain exceeds the size limit.
  public func addObserver(
    of subject: UserDefaults,
    for identifier: UserDefaultsMessageIdentifier<UserDefaults.SizeLimitExceededMessage>,
    using observer: @escaping @Sendable (UserDefaults.SizeLimitExceededMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    addObserver(of: subject, for: UserDefaults.SizeLimitExceededMessage.self, using: observer)
  }

  /// Calls an observer with a message each time that any object's domain exceeds the size limit.
  public func addObserver(
    of subject: UserDefaults.Type,
    for identifier: UserDefaultsMessageIdentifier<UserDefaults.SizeLimitExceededMessage>,
    using observer: @escaping @Sendable (UserDefaults.SizeLimitExceededMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    addObserver(for: UserDefaults.SizeLimitExceededMessage.self, using: observer)
  }

  /// Ends an observation of messages.
  public func removeObserver(_ observation: UserDefaultsMessageObservation) {
    observation.invalidate()
  }

  private func observe<Message: Sendable>(
    _ subject: UserDefaults?, _ name: Notification.Name, _ make: @escaping @Sendable () -> Message,
    _ observer: @escaping @Sendable (Message) async -> Void
  ) -> UserDefaultsMessageObservation {
    // Messages are equal: the oldest of too many that wait is one with the next.
    let messages = stream(of: subject, name, make, .bufferingNewest(KeyObservers.waitingLimit))
    // One task for all calls keeps their order.
    let task = Task {
      for await message in messages {
        // A cancelled task still receives the messages that wait.
        if Task.isCancelled { return }
        await observer(message)
      }
    }
    return UserDefaultsMessageObservation { task.cancel() }
  }
}

// MARK: - Sequences

extension NotificationCenter {
  /// A message for each change that an object makes from now on.
  ///
  /// - Parameters:
  ///   - subject: The object whose changes are observed; nil for any.
  ///   - messageType: The type of the message.
  ///   - limit: How many unread messages are kept; older ones are dropped.
  public func messages(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.DidChangeMessage.Type,
    bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.DidChangeMessage> {
    stream(of: subject, messageType.name, { UserDefaults.DidChangeMessage() }, .bufferingNewest(limit))
  }

  /// A message for each change that an object makes from now on.
  public func messages(
    of subject: UserDefaults, for identifier: UserDefaultsMessageIdentifier<UserDefaults.DidChangeMessage>,
    bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.DidChangeMessage> {
    messages(of: subject, for: UserDefaults.DidChangeMessage.self, bufferSize: limit)
  }

  /// A message for each change that any object makes from now on.
  public func messages(
    of subject: UserDefaults.Type,
    for identifier: UserDefaultsMessageIdentifier<UserDefaults.DidChangeMessage>, bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.DidChangeMessage> {
    messages(for: UserDefaults.DidChangeMessage.self, bufferSize: limit)
  }

  /// A message each time that an object's domain exceeds the size limit from now on.
  ///
  /// - Parameters:
  ///   - subject: The object whose domain is observed; nil for any.
  ///   - messageType: The type of the message.
  ///   - limit: How many unread messages are kept; older ones are dropped.
  public func messages(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.SizeLimitExceededMessage.Type,
    bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.SizeLimitExceededMessage> {
    stream(
      of: subject, messageType.name, { UserDefaults.SizeLimitExceededMessage() }, .bufferingNewest(limit))
  }

  /// A message each time that an object's domain exceeds the size limit from now on.
  public func messages(
    of subject: UserDefaults,
    for identifier: UserDefaultsMessageIdentifier<UserDefaults.SizeLimitExceededMessage>,
    bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.SizeLimitExceededMessage> {
    messages(of: subject, for: UserDefaults.SizeLimitExceededMessage.self, bufferSize: limit)
  }

  /// A message each time that any object's domain exceeds the size limit from now on.
  public func messages(
    of subject: UserDefaults.Type,
    for identifier: UserDefaultsMessageIdentifier<UserDefaults.SizeLimitExceededMessage>,
    bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.SizeLimitExceededMessage> {
    messages(for: UserDefaults.SizeLimitExceededMessage.self, bufferSize: limit)
  }

  private func stream<Message: Sendable>(
    of subject: UserDefaults?, _ name: Notification.Name, _ make: @escaping @Sendable () -> Message,
    _ policy: AsyncStream<Message>.Continuation.BufferingPolicy
  ) -> AsyncStream<Message> {
    let (stream, continuation) = AsyncStream.makeStream(of: Message.self, bufferingPolicy: policy)
    let isAnyMeant = subject == nil
    // The center does not retain the subject and compares its address, which another object may have later.
    let token = ObserverToken(
      addObserver(forName: name, object: subject, queue: nil) { [weak subject] notification in
        // The classic class posts under the same name.
        guard let object = notification.object as? UserDefaults, isAnyMeant || object === subject else {
          return
        }
        continuation.yield(make())
      }, of: self)
    continuation.onTermination = { _ in token.remove() }
    return stream
  }
}

/// A plain observer of a center, which any thread may remove.
private final class ObserverToken: @unchecked Sendable {
  // Unchecked, because the center's token is not declared Sendable; it is only passed back to the center.
  private let token: any NSObjectProtocol
  private let center: NotificationCenter

  init(_ token: any NSObjectProtocol, of center: NotificationCenter) {
    self.token = token
    self.center = center
  }

  func remove() {
    center.removeObserver(token)
  }
}
