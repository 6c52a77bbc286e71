public import Foundation

extension UserDefaults {
  /// ``didChangeNotification`` as a message, for `NotificationCenter`'s calls that take a type.
  ///
  /// On Linux, Foundation serves no message from a plain notification, and ends the process where a
  /// message is posted and somebody observes notifications of any name. So no message is ever posted:
  /// the calls for this type are this package's own there, and the type is none of Foundation's, so that
  /// no call of Foundation's that would never be answered takes it.
  public struct DidChangeMessage: Sendable {
    /// Makes a message.
    public init() {}

    /// The name of the plain notification.
    public static var name: Notification.Name { UserDefaults.didChangeNotification }
  }

  /// ``sizeLimitExceededNotification`` as a message; what is said of ``DidChangeMessage`` goes for this.
  public struct SizeLimitExceededMessage: Sendable {
    /// Makes a message.
    public init() {}

    /// The name of the plain notification.
    public static var name: Notification.Name { UserDefaults.sizeLimitExceededNotification }
  }
}

/// Stands for a type of message where a call takes one: `.didChange`, `.sizeLimitExceeded`.
public struct UserDefaultsMessageIdentifier<Message: Sendable>: Sendable {
  fileprivate init() {}
}

extension UserDefaultsMessageIdentifier<UserDefaults.DidChangeMessage> {
  /// Names ``UserDefaults/DidChangeMessage``.
  public static var didChange: Self { Self() }
}

extension UserDefaultsMessageIdentifier<UserDefaults.SizeLimitExceededMessage> {
  /// Names ``UserDefaults/SizeLimitExceededMessage``.
  public static var sizeLimitExceeded: Self { Self() }
}

// MARK: - Observing

extension NotificationCenter {
  /// Has an observer called with a message for each change that an object makes.
  ///
  /// Calls come one after the other, in the order of the notifications, soon after them.
  ///
  /// - Parameters:
  ///   - subject: The object whose changes are meant; nil for any.
  ///   - messageType: The type of the message.
  ///   - observer: Takes the message.
  /// - Returns: What keeps the observation; ``removeObserver(_:)-(UserDefaultsMessageObservation)`` or letting go of it ends it.
  public func addObserver(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.DidChangeMessage.Type,
    using observer: @escaping @Sendable (UserDefaults.DidChangeMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    observe(subject, messageType.name, { UserDefaults.DidChangeMessage() }, observer)
  }

  /// The same by the message's identifier, `.didChange`.
  public func addObserver(
    of subject: UserDefaults, for identifier: UserDefaultsMessageIdentifier<UserDefaults.DidChangeMessage>,
    using observer: @escaping @Sendable (UserDefaults.DidChangeMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    addObserver(of: subject, for: UserDefaults.DidChangeMessage.self, using: observer)
  }

  /// The same for any object.
  public func addObserver(
    of subject: UserDefaults.Type,
    for identifier: UserDefaultsMessageIdentifier<UserDefaults.DidChangeMessage>,
    using observer: @escaping @Sendable (UserDefaults.DidChangeMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    addObserver(for: UserDefaults.DidChangeMessage.self, using: observer)
  }

  /// Has an observer called with a message each time that an object's domain passes the size limit.
  ///
  /// - Parameters:
  ///   - subject: The object whose domain is meant; nil for any.
  ///   - messageType: The type of the message.
  ///   - observer: Takes the message.
  /// - Returns: What keeps the observation.
  public func addObserver(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.SizeLimitExceededMessage.Type,
    using observer: @escaping @Sendable (UserDefaults.SizeLimitExceededMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    observe(subject, messageType.name, { UserDefaults.SizeLimitExceededMessage() }, observer)
  }

  /// The same by the message's identifier, `.sizeLimitExceeded`.
  public func addObserver(
    of subject: UserDefaults,
    for identifier: UserDefaultsMessageIdentifier<UserDefaults.SizeLimitExceededMessage>,
    using observer: @escaping @Sendable (UserDefaults.SizeLimitExceededMessage) async -> Void
  ) -> UserDefaultsMessageObservation {
    addObserver(of: subject, for: UserDefaults.SizeLimitExceededMessage.self, using: observer)
  }

  /// The same for any object.
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
    let messages = stream(of: subject, name, make, .unbounded)
    // One task for all calls, so that they keep their order.
    let task = Task { for await message in messages { await observer(message) } }
    return UserDefaultsMessageObservation { task.cancel() }
  }
}

// MARK: - Sequences

extension NotificationCenter {
  /// A message for each change that an object makes from now on.
  ///
  /// - Parameters:
  ///   - subject: The object whose changes are meant; nil for any.
  ///   - messageType: The type of the message.
  ///   - limit: How many messages wait for a reader who is slow; older ones are dropped then.
  public func messages(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.DidChangeMessage.Type,
    bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.DidChangeMessage> {
    stream(of: subject, messageType.name, { UserDefaults.DidChangeMessage() }, .bufferingNewest(limit))
  }

  /// The same by the message's identifier, `.didChange`.
  public func messages(
    of subject: UserDefaults, for identifier: UserDefaultsMessageIdentifier<UserDefaults.DidChangeMessage>,
    bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.DidChangeMessage> {
    messages(of: subject, for: UserDefaults.DidChangeMessage.self, bufferSize: limit)
  }

  /// The same for any object.
  public func messages(
    of subject: UserDefaults.Type,
    for identifier: UserDefaultsMessageIdentifier<UserDefaults.DidChangeMessage>, bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.DidChangeMessage> {
    messages(for: UserDefaults.DidChangeMessage.self, bufferSize: limit)
  }

  /// A message each time that an object's domain passes the size limit from now on.
  ///
  /// - Parameters:
  ///   - subject: The object whose domain is meant; nil for any.
  ///   - messageType: The type of the message.
  ///   - limit: How many messages wait for a reader who is slow; older ones are dropped then.
  public func messages(
    of subject: UserDefaults? = nil, for messageType: UserDefaults.SizeLimitExceededMessage.Type,
    bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.SizeLimitExceededMessage> {
    stream(
      of: subject, messageType.name, { UserDefaults.SizeLimitExceededMessage() }, .bufferingNewest(limit))
  }

  /// The same by the message's identifier, `.sizeLimitExceeded`.
  public func messages(
    of subject: UserDefaults,
    for identifier: UserDefaultsMessageIdentifier<UserDefaults.SizeLimitExceededMessage>,
    bufferSize limit: Int = 10
  ) -> AsyncStream<UserDefaults.SizeLimitExceededMessage> {
    messages(of: subject, for: UserDefaults.SizeLimitExceededMessage.self, bufferSize: limit)
  }

  /// The same for any object.
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
    // The center does not keep the subject alive and knows it by its address, where another may lie later.
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

/// A plain observer of a center, to be removed from any thread.
private final class ObserverToken: @unchecked Sendable {
  // Unchecked, because the center's token is not declared as safe to share; it is only ever handed back.
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
